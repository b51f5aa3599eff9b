//! The audit in a file.

use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead as _, BufReader, ErrorKind, Write as _};
use std::path::Path;
use std::sync::Mutex;

use authority_core::MacKey;
use authority_core::audit::{
    Attempted, Attempts, AuditError, AuditSink, Broken, Durability, Head, LineWriter, Record,
    Resumption, Sealer, Verifier,
};

/// A chain of receipts in a file, written by one process at a time.
///
/// Every record is written before [`append`](AuditSink::append) returns, and synced where its
/// durability asks for it. A torn last line is never cut off: opening closes it, and appends a record
/// with its size and digest. After an error of the disk the file is not written again.
///
/// ```
/// use authority::audit::{AuditSink, Durability, Record, verify};
/// use authority::{AuditFile, ThreadIdentity, Timestamp, vocabulary::OutcomeCode};
/// # let directory = std::env::temp_dir().join(format!("authority-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&directory)?;
/// # let path = directory.join("audit.jsonl");
///
/// let audit = AuditFile::open(&path)?;
/// let thread = ThreadIdentity::root("alice", "checkout", "run-42")?;
/// let at = Timestamp::parse("2031-03-04T10:30:00Z")?;
/// let record = Record::new(OutcomeCode::Denied, &thread, at);
/// let head = audit.append(&record, Durability::Synced)?;
/// assert_eq!(verify(&std::fs::read(&path)?)?.head(), head);
/// # std::fs::remove_dir_all(&directory)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct AuditFile(Mutex<State<File>>);

/// How an [`AuditFile`] is opened.
#[derive(Debug, Default)]
pub struct AuditFileOptions {
    key: Option<MacKey>,
    sealer: Option<Box<dyn Sealer>>,
    anchor: Option<Head>,
}

/// Why a file is not opened. It holds no path.
#[derive(Debug)]
#[non_exhaustive]
pub enum AuditFileError {
    /// It cannot be opened or read.
    Open(ErrorKind),
    /// It is no regular file.
    NotAFile,
    /// Another writer has it open.
    InUse,
    /// It is no chain, or one that was changed. Keep it, and begin another.
    Broken(Broken),
    /// Its torn last line cannot be closed.
    Recover(AuditError),
}

impl AuditFile {
    /// Opens a file, or makes one, which on Unix only its owner can read.
    ///
    /// # Errors
    ///
    /// When another writer has it open, or its lines do not verify.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, AuditFileError> {
        Self::options().open(path)
    }

    /// Options: a key, a sealer, an anchor.
    pub fn options() -> AuditFileOptions {
        AuditFileOptions::default()
    }

    /// The end of the chain, to be stored elsewhere.
    pub fn head(&self) -> Option<Head> {
        let state = self.0.lock().ok()?;
        (!state.failed).then(|| state.writer.head())
    }
}

impl AuditFileOptions {
    /// Writes HMACs under this key in place of plain digests of contents.
    #[must_use]
    pub fn key(mut self, key: MacKey) -> Self {
        self.key = Some(key);
        self
    }

    /// Seals every line.
    #[must_use]
    pub fn sealer(mut self, sealer: impl Sealer + 'static) -> Self {
        self.sealer = Some(Box::new(sealer));
        self
    }

    /// Refuses a file that does not hold this head.
    #[must_use]
    pub fn anchor(mut self, head: Head) -> Self {
        self.anchor = Some(head);
        self
    }

    /// Opens a file, or makes one.
    ///
    /// # Errors
    ///
    /// When another writer has it open, or its lines do not verify.
    pub fn open(self, path: impl AsRef<Path>) -> Result<AuditFile, AuditFileError> {
        let path = path.as_ref();
        // A pipe would wait for its reader.
        if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
            return Err(AuditFileError::NotAFile);
        }
        let failed = |error: io::Error| AuditFileError::Open(error.kind());
        let file = options().open(path).map_err(failed)?;
        if !file.metadata().map_err(failed)?.is_file() {
            return Err(AuditFileError::NotAFile);
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(AuditFileError::InUse),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let verifier = read(&file, self.verifier()).map_err(failed)?;
        let resumption = verifier.resume().map_err(AuditFileError::Broken)?;
        if file.metadata().map_err(failed)?.len() == 0 {
            file.sync_all().map_err(failed)?;
            sync_directory(path).map_err(failed)?;
        }
        let state = State::resume(file, resumption, self)?;
        Ok(AuditFile(Mutex::new(state)))
    }

    fn verifier(&self) -> Verifier<'static> {
        let verifier = Verifier::new();
        match self.anchor {
            Some(anchor) => verifier.with_head(anchor),
            None => verifier,
        }
    }
}

impl AuditSink for AuditFile {
    fn append(&self, record: &Record, durability: Durability) -> Result<Head, AuditError> {
        let mut state = self.0.lock().map_err(|_| AuditError::Failed)?;
        state.append(record, durability)
    }

    fn is_incomplete(&self, attempted: &Attempted) -> Result<bool, AuditError> {
        let state = self.0.lock().map_err(|_| AuditError::Failed)?;
        Ok(state.attempts.is_incomplete(attempted))
    }
}

impl fmt::Debug for AuditFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_tuple("AuditFile")
            .field(&self.head())
            .finish()
    }
}

impl fmt::Display for AuditFileError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AuditFileError::Open(kind) => {
                write!(formatter, "the audit file cannot be opened: {kind}")
            }
            AuditFileError::NotAFile => formatter.write_str("the audit file is no regular file"),
            AuditFileError::InUse => formatter.write_str("another writer has the audit file open"),
            AuditFileError::Broken(broken) => fmt::Display::fmt(broken, formatter),
            AuditFileError::Recover(error) => fmt::Display::fmt(error, formatter),
        }
    }
}

impl std::error::Error for AuditFileError {}

/// What a chain is written to.
trait Disk {
    /// Appends all of these bytes.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Makes durable what was written.
    fn sync(&mut self) -> io::Result<()>;
}

impl Disk for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

struct State<D> {
    disk: D,
    writer: LineWriter,
    attempts: Attempts,
    failed: bool,
}

impl<D: Disk> State<D> {
    /// Goes on behind what is on the disk.
    fn resume(
        disk: D,
        resumption: Resumption,
        options: AuditFileOptions,
    ) -> Result<Self, AuditFileError> {
        let mut writer = LineWriter::after(resumption.head);
        if let Some(key) = options.key {
            writer = writer.with_key(key);
        }
        if let Some(sealer) = options.sealer {
            writer = writer.with_sealer(sealer);
        }
        let mut state = State {
            disk,
            writer,
            attempts: resumption.attempts,
            failed: false,
        };
        if let Some(torn) = resumption.torn {
            let line = state.writer.recovered(torn.content);
            let line = line.map_err(AuditFileError::Recover)?;
            let end: &[u8] = if torn.has_end { b"" } else { b"\n" };
            let closing = [end, line.as_bytes()].concat();
            let written = state.write(&closing, Durability::Synced);
            written.map_err(AuditFileError::Recover)?;
        }
        Ok(state)
    }

    fn append(&mut self, record: &Record, durability: Durability) -> Result<Head, AuditError> {
        if self.failed {
            return Err(AuditError::Failed);
        }
        let line = self.writer.line(record)?;
        self.write(line.as_bytes(), durability)?;
        self.attempts.follow(record);
        Ok(line.head())
    }

    fn write(&mut self, bytes: &[u8], durability: Durability) -> Result<(), AuditError> {
        self.failed = true;
        let write = self.disk.write(bytes);
        write.map_err(|error| AuditError::Write(error.kind()))?;
        if durability == Durability::Synced {
            let sync = self.disk.sync();
            sync.map_err(|error| AuditError::Sync(error.kind()))?;
        }
        self.failed = false;
        Ok(())
    }
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Gives the verifier the whole file, a part at a time.
fn read<'v>(file: &File, mut verifier: Verifier<'v>) -> io::Result<Verifier<'v>> {
    let mut reader = BufReader::with_capacity(1 << 16, file);
    loop {
        let part = reader.fill_buf()?;
        if part.is_empty() {
            return Ok(verifier);
        }
        verifier.push(part);
        let count = part.len();
        reader.consume(count);
    }
}

/// Makes the name of a new file durable.
fn sync_directory(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        let directory = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        File::open(directory.unwrap_or(Path::new(".")))?.sync_all()?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

#[cfg(test)]
mod tests;
