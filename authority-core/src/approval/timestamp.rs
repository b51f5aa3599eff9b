//! Instants of wall time, and their one form on the wire.

use std::fmt;
use std::time::Duration;

use crate::clock::Clock;

/// An instant of wall time, to the nanosecond, in the years 0001 to 9999.
///
/// On the wire it is RFC 3339, and stricter than that: an upper-case `T`, seconds 00 to 59, at most
/// nine decimals, and an upper-case `Z` or an offset below 24 hours. It is written as UTC with `Z`
/// and without needless decimals, and compared as an instant, whatever the offset was.
///
/// ```
/// use authority_core::{Timestamp, TimestampError};
///
/// let there = Timestamp::parse("2031-03-04T16:00:00.50+05:30")?;
/// assert_eq!(there.to_string(), "2031-03-04T10:30:00.5Z");
/// assert_eq!(there, Timestamp::parse("2031-03-04T10:30:00.5Z")?);
/// assert_eq!(Timestamp::parse("2031-03-04T10:30:00"), Err(TimestampError::Zone));
/// # Ok::<(), TimestampError>(())
/// ```
#[derive(Clone, Copy, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Timestamp(i128);

/// Why there is no such time. Nothing of the text is repeated.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum TimestampError {
    /// Not `YYYY-MM-DDTHH:MM:SS`, in digits, at the start.
    #[error("a time is `YYYY-MM-DDTHH:MM:SS`, then perhaps decimals, then `Z` or an offset")]
    Form,
    /// A date that no calendar has, or the year 0000.
    #[error("no such day")]
    Date,
    /// An hour, minute or second that no day has. A leap second is one.
    #[error("no such time of day: hours are 00 to 23, minutes and seconds 00 to 59")]
    TimeOfDay,
    /// A decimal point without a decimal, or more than nine.
    #[error("a second has one to nine decimals, or no point")]
    Decimals,
    /// No zone, or something else than `Z`, or than an offset below 24 hours, up to the end.
    #[error("a time ends in `Z` or in an offset below 24 hours such as `+05:30`")]
    Zone,
    /// An instant outside the years 0001 to 9999 of UTC.
    #[error("a time is in the years 0001 to 9999 of UTC")]
    Range,
}

impl Timestamp {
    /// Parses the form of the wire.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, from the left.
    pub fn parse(text: &str) -> Result<Self, TimestampError> {
        let mut text = Text(text.as_bytes());
        let (year, month, day) = text.date().ok_or(TimestampError::Form)?;
        let [hour, minute, second] = text.time_of_day().ok_or(TimestampError::Form)?;
        if year == 0 || month == 0 || month > 12 || day == 0 || day > days_in_month(year, month) {
            return Err(TimestampError::Date);
        }
        if hour > 23 || minute > 59 || second > 59 {
            return Err(TimestampError::TimeOfDay);
        }
        let nanoseconds = text.decimals().ok_or(TimestampError::Decimals)?;
        let offset = text.offset_minutes().ok_or(TimestampError::Zone)?;
        let minutes = (days_from_civil(year, month, day) * 24 + hour) * 60 + minute - offset;
        let seconds = minutes * 60 + second;
        Self::from_unix_nanoseconds(i128::from(seconds) * SECOND + i128::from(nanoseconds))
    }

    /// The instant that lies so many nanoseconds after the Unix epoch, or before it.
    ///
    /// # Errors
    ///
    /// [`TimestampError::Range`].
    pub fn from_unix_nanoseconds(nanoseconds: i128) -> Result<Self, TimestampError> {
        if (FIRST..=LAST).contains(&nanoseconds) {
            Ok(Timestamp(nanoseconds))
        } else {
            Err(TimestampError::Range)
        }
    }

    /// The wall time of a clock.
    ///
    /// # Errors
    ///
    /// [`TimestampError::Range`].
    pub fn now(clock: &(impl Clock + ?Sized)) -> Result<Self, TimestampError> {
        let nanoseconds = i128::try_from(clock.wall_nanoseconds());
        Self::from_unix_nanoseconds(nanoseconds.map_err(|_| TimestampError::Range)?)
    }

    /// Nanoseconds since the Unix epoch; negative before it.
    pub const fn unix_nanoseconds(self) -> i128 {
        self.0
    }

    /// The instant so much later.
    ///
    /// # Errors
    ///
    /// [`TimestampError::Range`].
    pub fn after(self, by: Duration) -> Result<Self, TimestampError> {
        let by = i128::try_from(by.as_nanos()).map_err(|_| TimestampError::Range)?;
        Self::from_unix_nanoseconds(self.0 + by)
    }

    /// How long ago the other instant was; `None` when it is later than this one.
    pub fn since(self, earlier: Timestamp) -> Option<Duration> {
        let nanoseconds = u128::try_from(self.0 - earlier.0).ok()?;
        Some(Duration::from_nanos_u128(nanoseconds))
    }
}

/// UTC with `Z`, with as many decimals as are needed.
impl fmt::Display for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let days = self.0.div_euclid(DAY);
        let in_day = self.0.rem_euclid(DAY);
        let (year, month, day) = civil_from_days(i64::try_from(days).map_err(|_| fmt::Error)?);
        let (second, decimals) = (in_day / SECOND, in_day % SECOND);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(
            formatter,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"
        )?;
        if decimals > 0 {
            let decimals = format!("{decimals:09}");
            write!(formatter, ".{}", decimals.trim_end_matches('0'))?;
        }
        formatter.write_str("Z")
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

const SECOND: i128 = 1_000_000_000;
const DAY: i128 = 86_400 * SECOND;
/// 0001-01-01T00:00:00Z and 9999-12-31T23:59:59.999999999Z.
const FIRST: i128 = -719_162 * DAY;
const LAST: i128 = 2_932_897 * DAY - 1;

/// What is left of a text. Each method takes one part from its front.
struct Text<'a>(&'a [u8]);

impl Text<'_> {
    fn date(&mut self) -> Option<(i64, i64, i64)> {
        let year = self.digits(4)?;
        self.sign(b'-')?;
        let month = self.digits(2)?;
        self.sign(b'-')?;
        Some((year, month, self.digits(2)?))
    }

    fn time_of_day(&mut self) -> Option<[i64; 3]> {
        self.sign(b'T')?;
        let hour = self.digits(2)?;
        self.sign(b':')?;
        let minute = self.digits(2)?;
        self.sign(b':')?;
        Some([hour, minute, self.digits(2)?])
    }

    /// Nanoseconds.
    fn decimals(&mut self) -> Option<i64> {
        if self.sign(b'.').is_none() {
            return Some(0);
        }
        let count = self.0.iter().take_while(|byte| byte.is_ascii_digit());
        let count = count.count();
        if !(1..=9).contains(&count) {
            return None;
        }
        let scale = (count..9).fold(1, |scale, _| scale * 10);
        Some(self.digits(count)? * scale)
    }

    /// Minutes east of UTC, up to the end of the text.
    fn offset_minutes(&mut self) -> Option<i64> {
        let sign = match self.0 {
            [b'Z'] => return Some(0),
            [b'+', ..] => 1,
            [b'-', ..] => -1,
            _ => return None,
        };
        self.0 = &self.0[1..];
        let hours = self.digits(2)?;
        self.sign(b':')?;
        let minutes = self.digits(2)?;
        let is_offset = hours < 24 && minutes < 60 && self.0.is_empty();
        is_offset.then_some(sign * (hours * 60 + minutes))
    }

    fn digits(&mut self, count: usize) -> Option<i64> {
        let (digits, rest) = self.0.split_at_checked(count)?;
        let number = digits.iter().try_fold(0, |number, byte| {
            let digit = byte.is_ascii_digit().then(|| i64::from(byte - b'0'))?;
            Some(number * 10 + digit)
        })?;
        self.0 = rest;
        Some(number)
    }

    fn sign(&mut self, sign: u8) -> Option<()> {
        self.0 = self.0.strip_prefix(&[sign])?;
        Some(())
    }
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days since 1970-01-01 of a date of the proleptic Gregorian calendar. Years start in March here,
/// so that the leap day is their last; 400 of them have 146 097 days.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month > 2 { year } else { year - 1 };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year * 365 + year / 4 - year / 100 + year / 400 + day_of_year - EPOCH
}

/// The date so many days after 1970-01-01: the inverse.
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + EPOCH;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    (year, month, day)
}

/// Days from 0000-03-01 to 1970-01-01.
const EPOCH: i64 = 719_468;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn nanoseconds(text: &str) -> i128 {
        Timestamp::parse(text).unwrap().unix_nanoseconds()
    }

    #[test]
    fn instants() {
        // As `date -u -d TEXT +%s` gives them.
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0_i64),
            ("1969-12-31T23:59:59Z", -1),
            ("2000-02-29T12:00:00Z", 951_825_600),
            ("2000-03-01T00:00:00Z", 951_868_800),
            ("1900-03-01T00:00:00Z", -2_203_891_200),
            ("2031-03-04T10:30:00Z", 1_930_386_600),
            ("0001-01-01T00:00:00Z", -62_135_596_800),
            ("9999-12-31T23:59:59Z", 253_402_300_799),
        ] {
            assert_eq!(nanoseconds(text), i128::from(seconds) * SECOND, "{text}");
            assert_eq!(Timestamp::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(nanoseconds("1970-01-01T00:00:00.000000001Z"), 1);
        assert_eq!(nanoseconds("1969-12-31T23:59:59.9Z"), -100_000_000);
        assert_eq!(nanoseconds("1970-01-01T23:59:00+23:59"), 0);
        assert_eq!(nanoseconds("1970-01-01T00:00:00-00:30"), 1_800 * SECOND);
        assert_eq!(nanoseconds("1970-01-01T00:00:00-00:00"), 0);
    }

    #[test]
    fn one_form_is_written() {
        for (text, written) in [
            ("2031-03-04T10:30:00.000Z", "2031-03-04T10:30:00Z"),
            ("2031-03-04T10:30:00.120Z", "2031-03-04T10:30:00.12Z"),
            ("2031-03-04T10:30:00+00:00", "2031-03-04T10:30:00Z"),
            ("2031-03-05T10:29:00+23:59", "2031-03-04T10:30:00Z"),
            (
                "1969-12-31T23:59:59.999999999Z",
                "1969-12-31T23:59:59.999999999Z",
            ),
        ] {
            assert_eq!(Timestamp::parse(text).unwrap().to_string(), written);
        }
    }

    #[test]
    fn anything_else_is_refused() {
        use TimestampError::{Date, Decimals, Form, Range, TimeOfDay, Zone};
        for (text, error) in [
            ("", Form),
            ("2031-03-04", Form),
            ("1924993800", Form),
            ("+2031-03-04T10:30:00Z", Form),
            ("-2031-03-04T10:30:00Z", Form),
            ("10000-01-01T00:00:00Z", Form),
            (" 2031-03-04T10:30:00Z", Form),
            ("2031-3-4T10:30:00Z", Form),
            ("2031-03-04t10:30:00Z", Form),
            ("2031-03-04 10:30:00Z", Form),
            ("2031-03-04T10:30Z", Form),
            ("20310304T103000Z", Form),
            ("2031-W10-2T10:30:00Z", Form),
            ("2031-03-04T10:30:0\u{661}Z", Form),
            ("0000-01-01T00:00:00Z", Date),
            ("2031-00-04T10:30:00Z", Date),
            ("2031-13-04T10:30:00Z", Date),
            ("2031-03-00T10:30:00Z", Date),
            ("2031-02-29T10:30:00Z", Date),
            ("1900-02-29T10:30:00Z", Date),
            ("2031-04-31T10:30:00Z", Date),
            ("2031-03-04T24:00:00Z", TimeOfDay),
            ("2031-03-04T10:60:00Z", TimeOfDay),
            ("2031-03-04T10:30:60Z", TimeOfDay),
            ("2031-03-04T10:30:00.Z", Decimals),
            ("2031-03-04T10:30:00.1234567890Z", Decimals),
            ("2031-03-04T10:30:00,5Z", Zone),
            ("2031-03-04T10:30:00", Zone),
            ("2031-03-04T10:30:00.5", Zone),
            ("2031-03-04T10:30:00z", Zone),
            ("2031-03-04T10:30:00Z ", Zone),
            ("2031-03-04T10:30:00ZZ", Zone),
            ("2031-03-04T10:30:00+24:00", Zone),
            ("2031-03-04T10:30:00+05:60", Zone),
            ("2031-03-04T10:30:00+05", Zone),
            ("2031-03-04T10:30:00+0530", Zone),
            ("2031-03-04T10:30:00+05:30[Asia/Kolkata]", Zone),
            ("2031-03-04T10:30:00\u{2212}05:30", Zone),
            ("0001-01-01T00:00:00+00:01", Range),
            ("9999-12-31T23:59:59-00:01", Range),
        ] {
            assert_eq!(Timestamp::parse(text), Err(error), "{text}");
        }
    }

    #[test]
    fn arithmetic_stays_in_range() {
        let first = Timestamp(FIRST);
        let last = Timestamp(LAST);
        assert_eq!(
            Timestamp::from_unix_nanoseconds(FIRST - 1),
            Err(TimestampError::Range)
        );
        assert_eq!(
            last.after(Duration::from_nanos(1)),
            Err(TimestampError::Range)
        );
        assert_eq!(last.after(Duration::MAX), Err(TimestampError::Range));
        assert_eq!(last.after(Duration::ZERO), Ok(last));
        assert_eq!(first.since(last), None);
        assert_eq!(first.after(last.since(first).unwrap()), Ok(last));
        assert_eq!(last.to_string(), "9999-12-31T23:59:59.999999999Z");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(nanoseconds in FIRST..=LAST) {
            let time = Timestamp::from_unix_nanoseconds(nanoseconds).unwrap();
            prop_assert_eq!(Timestamp::parse(&time.to_string()), Ok(time));
        }

        /// Another implementation reads what is written here as the same instant.
        #[test]
        fn jiff_agrees(seconds in -62_135_596_800_i64..=253_402_207_200, nanosecond in 0_i32..1_000_000_000) {
            let theirs = jiff::Timestamp::new(seconds, nanosecond).unwrap();
            let ours = Timestamp::from_unix_nanoseconds(theirs.as_nanosecond()).unwrap();
            prop_assert_eq!(ours.to_string(), theirs.to_string());
        }

        #[test]
        fn no_text_panics(text in any::<String>(), cut in 0_usize..35) {
            let _ = Timestamp::parse(&text);
            let full = "2031-03-04T10:30:00.123456789+05:30";
            prop_assert!(Timestamp::parse(&full[..cut]).is_err());
        }
    }
}
