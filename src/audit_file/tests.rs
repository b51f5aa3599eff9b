use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use authority_core::audit::{AuditError, BadLine, Content, Durability, Record, verify};
use authority_core::vocabulary::OutcomeCode;
use authority_core::{Digest, Id, ThreadIdentity, Timestamp};

use super::*;

/// Set for a child: the file that it writes until it is killed.
const CHILD: &str = "AUTHORITY_AUDIT_CHILD";

fn record() -> Record {
    let thread = ThreadIdentity::root("alice", "checkout", "run-42").unwrap();
    let at = Timestamp::parse("2031-03-04T10:30:00Z").unwrap();
    Record::new(OutcomeCode::Denied, &thread, at)
}

fn directory(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("authority-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// Not a test of its own: what a child of the test below runs.
#[test]
fn child_that_is_killed() {
    let Some(path) = std::env::var_os(CHILD) else {
        return;
    };
    let audit = AuditFile::open(path).expect("a chain that goes on");
    loop {
        let head = audit.append(&record(), Durability::Written).unwrap();
        println!("\nhead {head}");
    }
}

#[test]
fn killed_writers_lose_nothing() {
    let _turn = take_turns();
    let directory = directory("killed");
    let path = directory.join("audit.jsonl");
    for round in 0..500_u64 {
        if round % 6 == 0 {
            let _ = std::fs::remove_file(&path);
        }
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "audit_file::tests::child_that_is_killed",
                "--nocapture",
            ])
            .env(CHILD, &path)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut heads = lines
            .map_while(Result::ok)
            .filter_map(|line| line.strip_prefix("head ").and_then(Head::parse));
        let mut last = heads.next().expect("a child that writes");
        // Anywhere in what it does next.
        thread::sleep(Duration::from_micros(round * 7_919 % 1_000));
        child.kill().unwrap();
        child.wait().unwrap();
        last = heads.last().unwrap_or(last);
        let bytes = std::fs::read(&path).unwrap();
        match verify(&bytes) {
            Ok(verified) => assert!(verified.head().sequence >= last.sequence),
            Err(broken) => {
                assert_eq!(broken.reason(), BadLine::Torn);
                assert!(broken.before().head().sequence >= last.sequence);
            }
        }
        if round % 3 == 2 {
            // A write that was cut short: the kernel seldom leaves one.
            let cut = bytes.len() - 1 - usize::try_from(round % 300).unwrap();
            std::fs::write(&path, &bytes[..cut]).unwrap();
            let audit = AuditFile::open(&path).unwrap();
            let verified = verify(&std::fs::read(&path).unwrap()).unwrap();
            assert_eq!(Some(verified.head()), audit.head());
            assert!(!verified.recovered().is_empty());
        }
    }
    std::fs::remove_dir_all(directory).unwrap();
}

/// A child process has the file open, and so locked, until it runs its own program: tests that look
/// at the lock and tests that start processes take turns.
static PROCESSES: Mutex<()> = Mutex::new(());

fn take_turns() -> MutexGuard<'static, ()> {
    PROCESSES.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn what_did_not_complete_is_known_to_the_next_process() {
    let _turn = take_turns();
    let directory = directory("incomplete");
    let path = directory.join("audit.jsonl");
    let id = |text: &'static str| Id::parse(text).unwrap();
    let (permissions, preview) = (Digest::of(b"permissions"), Digest::of(b"preview"));
    let of = |code, operation| {
        let thread = ThreadIdentity::root("alice", "checkout", "run-42").unwrap();
        let at = Timestamp::parse("2031-03-04T10:30:00Z").unwrap();
        let record = Record::new(code, &thread, at).with_operation_id(id(operation));
        let record = record.with_permissions_sha256(permissions);
        let record = record.with_preview_sha256(preview);
        record.with_grant(id("grant-1"), Digest::of(b"grant"))
    };
    let run = ThreadIdentity::root("alice", "checkout", "run-43").unwrap();
    let next = Attempted::new(&run, permissions, preview);
    for (code, operation, is_incomplete) in [
        (OutcomeCode::Permitted, "op-1", true),
        (OutcomeCode::Completed, "op-1", false),
        (OutcomeCode::Permitted, "op-2", true),
    ] {
        let audit = AuditFile::open(&path).unwrap();
        audit
            .append(&of(code, operation), Durability::Written)
            .unwrap();
        drop(audit);
        let audit = AuditFile::open(&path).unwrap();
        assert_eq!(audit.is_incomplete(&next), Ok(is_incomplete));
    }
    std::fs::remove_dir_all(directory).unwrap();
}

#[test]
fn a_second_writer_is_refused() {
    let _turn = take_turns();
    let directory = directory("second");
    let path = directory.join("audit.jsonl");
    let audit = AuditFile::open(&path).unwrap();
    assert!(matches!(AuditFile::open(&path), Err(AuditFileError::InUse)));
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "audit_file::tests::child_that_is_killed"])
        .env(CHILD, &path)
        .output()
        .unwrap();
    assert!(!child.status.success());
    assert!(String::from_utf8_lossy(&child.stdout).contains("InUse"));
    drop(audit);
    AuditFile::open(&path).unwrap();
    assert!(matches!(
        AuditFile::open(&directory),
        Err(AuditFileError::NotAFile)
    ));
    std::fs::write(&path, "edited\n").unwrap();
    assert!(matches!(
        AuditFile::open(&path),
        Err(AuditFileError::Broken(_))
    ));
    std::fs::remove_dir_all(directory).unwrap();
}

/// A disk that loses what was not synced, and fails where it is told to.
#[derive(Clone, Default)]
struct Fake(Arc<Mutex<Platter>>);

#[derive(Default)]
struct Platter {
    bytes: Vec<u8>,
    synced: usize,
    /// What the next calls do: `None` works, `Some` fails after so many bytes.
    faults: VecDeque<Option<usize>>,
    calls: usize,
}

impl Disk for Fake {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut platter = self.0.lock().unwrap();
        platter.calls += 1;
        let fault = platter.faults.pop_front().flatten();
        let count = fault.map_or(bytes.len(), |count| count.min(bytes.len()));
        platter.bytes.extend_from_slice(&bytes[..count]);
        fault.map_or(Ok(()), |_| Err(ErrorKind::StorageFull.into()))
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut platter = self.0.lock().unwrap();
        platter.calls += 1;
        if platter.faults.pop_front().flatten().is_some() {
            return Err(ErrorKind::Other.into());
        }
        platter.synced = platter.bytes.len();
        Ok(())
    }
}

fn state(disk: &Fake) -> Result<State<Fake>, AuditFileError> {
    let bytes = disk.0.lock().unwrap().bytes.clone();
    let resumption = Resumption::of(&bytes, None).map_err(AuditFileError::Broken)?;
    State::resume(disk.clone(), resumption, AuditFileOptions::default())
}

#[test]
fn what_was_synced_outlasts_a_loss_of_power() {
    // Written, synced, written, synced; the power fails behind every byte that was not synced.
    let full = Fake::default();
    let mut writer = state(&full).unwrap();
    let mut synced = Vec::new();
    for durability in [Durability::Written, Durability::Synced, Durability::Written] {
        let head = writer.append(&record(), durability).unwrap();
        let platter = full.0.lock().unwrap();
        synced.push((platter.synced, platter.bytes.len(), head));
    }
    assert_eq!(synced[0].0, 0, "nothing is synced that need not be");
    assert_eq!((synced[1].0, synced[2].0), (synced[1].1, synced[1].1));
    let bytes = full.0.lock().unwrap().bytes.clone();
    for end in 0..=bytes.len() {
        let lost = Fake::default();
        lost.0.lock().unwrap().bytes = bytes[..end].to_vec();
        // Opening again is itself interrupted anywhere, and then not.
        for written in 0..40 {
            lost.0.lock().unwrap().bytes = bytes[..end].to_vec();
            lost.0.lock().unwrap().faults = [Some(written * 11)].into();
            let interrupted = state(&lost).err();
            let expected = end > 0 && bytes[end - 1] != b'\n';
            assert_eq!(interrupted.is_some(), expected);
            lost.0.lock().unwrap().faults.clear();
            let mut again = state(&lost).unwrap();
            let head = again.append(&record(), Durability::Synced).unwrap();
            let platter = lost.0.lock().unwrap();
            let verified = verify(&platter.bytes).unwrap();
            assert_eq!(verified.head(), head);
            assert!(
                platter.bytes.starts_with(&bytes[..end]),
                "nothing is cut off"
            );
            if end >= synced[1].1 {
                assert!(head.sequence > synced[1].2.sequence);
            }
            if !expected {
                break;
            }
        }
    }
}

#[test]
fn nothing_is_written_after_an_error() {
    let durabilities = [Durability::Written, Durability::Synced, Durability::Synced];
    // The calls: write, write, sync, write, sync.
    for (fault, appended) in [(0, 0), (1, 1), (2, 1), (3, 2), (4, 2)] {
        let disk = Fake::default();
        let mut writer = state(&disk).unwrap();
        let mut faults = vec![None; fault];
        faults.push(Some(7));
        disk.0.lock().unwrap().faults = faults.into();
        let results: Vec<_> = durabilities
            .iter()
            .map(|durability| writer.append(&record(), *durability))
            .collect();
        assert!(results[..appended].iter().all(Result::is_ok));
        let error = match fault {
            2 | 4 => AuditError::Sync(ErrorKind::Other),
            _ => AuditError::Write(ErrorKind::StorageFull),
        };
        assert_eq!(results[appended], Err(error));
        for later in &results[appended + 1..] {
            assert_eq!(*later, Err(AuditError::Failed));
        }
        assert_eq!(disk.0.lock().unwrap().calls, fault + 1);
    }
}

#[test]
fn a_torn_line_is_closed_and_told() {
    let disk = Fake::default();
    disk.0.lock().unwrap().bytes = b"{\"hash\":\"ab".to_vec();
    state(&disk).unwrap();
    let platter = disk.0.lock().unwrap();
    let verified = verify(&platter.bytes).unwrap();
    assert_eq!(verified.recovered()[0].torn, Content::of(b"{\"hash\":\"ab"));
    assert_eq!(platter.synced, platter.bytes.len());
}
