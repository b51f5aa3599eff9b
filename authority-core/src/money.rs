//! Money: whole micro-US-dollars, read from decimal text and never through a float.

use std::fmt;

/// An amount of millionths of a US dollar, from 0 to 18,446,744,073,709.551615 dollars.
///
/// ```
/// use authority_core::MicroDollars;
///
/// let amount = MicroDollars::parse("2.50")?;
/// assert_eq!(amount, MicroDollars::new(2_500_000));
/// assert_eq!(amount.to_string(), "2.5");
/// # Ok::<(), authority_core::MoneyError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct MicroDollars(u64);

/// Why a text is not an amount of money.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, thiserror::Error)]
pub enum MoneyError {
    /// Not digits, or digits around one point.
    #[error("an amount of US dollars is written in digits, as `2` or `2.50`")]
    NotANumber,
    /// Below zero.
    #[error("an amount of US dollars is not negative")]
    Negative,
    /// Zero with a minus sign.
    #[error("zero US dollars are written `0`, without a sign")]
    NegativeZero,
    /// In exponent form.
    #[error("an amount of US dollars is written without an exponent")]
    Exponent,
    /// A fraction of a micro-dollar.
    #[error("an amount of US dollars has at most six decimals")]
    TooManyDecimals,
    /// More than 64 bits of micro-dollars.
    #[error("an amount of US dollars is at most 18446744073709.551615")]
    TooLarge,
}

/// Decimals of a dollar that are kept.
const DECIMALS: usize = 6;

impl MicroDollars {
    /// This many micro-dollars.
    pub const fn new(micros: u64) -> Self {
        MicroDollars(micros)
    }

    /// The number of micro-dollars.
    pub const fn micros(self) -> u64 {
        self.0
    }

    /// Parses US dollars in decimal text, with at most six decimals: `2`, `2.5`, `0.000001`.
    ///
    /// # Errors
    ///
    /// One variant of [`MoneyError`] for each other form.
    pub fn parse(text: &str) -> Result<Self, MoneyError> {
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(unsigned) => (true, unsigned),
            None => (false, text),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, Some(exponent)),
            None => (unsigned, None),
        };
        let (whole, decimals) = match mantissa.split_once('.') {
            Some((whole, decimals)) if !decimals.is_empty() => (whole, decimals),
            Some(_) => return Err(MoneyError::NotANumber),
            None => (mantissa, ""),
        };
        let is_number = !whole.is_empty()
            && (whole == "0" || !whole.starts_with('0'))
            && are_digits(whole)
            && are_digits(decimals)
            && exponent.is_none_or(is_exponent);
        if !is_number {
            return Err(MoneyError::NotANumber);
        }
        if exponent.is_some() {
            return Err(MoneyError::Exponent);
        }
        if negative {
            let is_zero = mantissa.bytes().all(|byte| matches!(byte, b'0' | b'.'));
            return Err(if is_zero {
                MoneyError::NegativeZero
            } else {
                MoneyError::Negative
            });
        }
        if decimals.len() > DECIMALS {
            return Err(MoneyError::TooManyDecimals);
        }
        // The digits of the whole and of the six decimals are those of the micro-dollars.
        format!("{whole}{decimals:0<DECIMALS$}")
            .parse()
            .map(MicroDollars)
            .map_err(|_| MoneyError::TooLarge)
    }
}

fn are_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_exponent(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    !digits.is_empty() && are_digits(digits)
}

/// US dollars as the shortest decimal: `2.5`, `2`, `0.000001`.
impl fmt::Display for MicroDollars {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000);
        formatter.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn amounts() {
        for (text, micros, shortest) in [
            ("0", 0, "0"),
            ("0.0", 0, "0"),
            ("2", 2_000_000, "2"),
            ("10", 10_000_000, "10"),
            ("2.50", 2_500_000, "2.5"),
            ("0.000001", 1, "0.000001"),
            ("0.100000", 100_000, "0.1"),
            ("18446744073709.551615", u64::MAX, "18446744073709.551615"),
        ] {
            assert_eq!(MicroDollars::parse(text), Ok(MicroDollars(micros)));
            assert_eq!(MicroDollars(micros).to_string(), shortest);
        }
    }

    #[test]
    fn refused() {
        use MoneyError::{Exponent, Negative, NegativeZero, NotANumber, TooLarge, TooManyDecimals};
        for (text, error) in [
            ("-1", Negative),
            ("-0.000001", Negative),
            ("-0", NegativeZero),
            ("-0.00", NegativeZero),
            ("1e3", Exponent),
            ("1.5E-3", Exponent),
            ("-0e+1", Exponent),
            ("0.0000000", TooManyDecimals),
            ("1.2345678", TooManyDecimals),
            ("18446744073709.551616", TooLarge),
            ("99999999999999999999999999", TooLarge),
            ("", NotANumber),
            ("-", NotANumber),
            ("+1", NotANumber),
            ("NaN", NotANumber),
            ("inf", NotANumber),
            ("1.", NotANumber),
            (".5", NotANumber),
            ("01", NotANumber),
            ("00", NotANumber),
            ("1.2.3", NotANumber),
            ("1e", NotANumber),
            ("1 ", NotANumber),
            ("1_000", NotANumber),
            ("١", NotANumber),
        ] {
            assert_eq!(MicroDollars::parse(text), Err(error), "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_amount_prints_and_parses_to_itself(micros: u64) {
            let amount = MicroDollars(micros);
            prop_assert_eq!(MicroDollars::parse(&amount.to_string()), Ok(amount));
        }
    }
}
