//! The columns of a trace: which types are accepted, and how their values are taken out.
//!
//! Other programs write the same thing in other types (large strings, views, microseconds, wider
//! integers); they are accepted, because nothing is lost by it.
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{ArrayAccessor, ArrayRef};
use arrow_schema::{DataType, TimeUnit};

/// One column: its name, the types it may have, and how to say so.
pub(super) struct Column {
    /// Its name in the file.
    pub(super) name: &'static str,
    /// The types it may have, in words.
    pub(super) expected: &'static str,
    /// Whether it may have this type.
    pub(super) accepts: fn(&DataType) -> bool,
}

/// The columns that say when something happened.
pub(super) const HEAD: [Column; 4] = [
    Column { name: "url", expected: "a string", accepts: is_string },
    Column { name: "at", expected: "a timestamp in UTC", accepts: is_time },
    Column { name: "status", expected: "an integer", accepts: DataType::is_integer },
    Column { name: "mime", expected: "a string", accepts: is_string },
];

/// The column that a trace made from captures has besides: since when a change may have happened.
pub(super) const AFTER: Column =
    Column { name: "after", expected: "a timestamp in UTC", accepts: is_time };

/// The column that says what was there.
pub(super) const BODY: Column = Column { name: "body", expected: "binary", accepts: is_binary };

fn is_string(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

fn is_binary(kind: &DataType) -> bool {
    matches!(kind, DataType::Binary | DataType::LargeBinary | DataType::BinaryView)
}

/// A timestamp without a zone is a local time of an unknown place, so it is refused.
fn is_time(kind: &DataType) -> bool {
    match kind {
        DataType::Timestamp(_, Some(zone)) => {
            matches!(&**zone, "UTC" | "utc" | "Z" | "+00:00" | "+0000" | "Etc/UTC" | "GMT")
        }
        _ => false,
    }
}

/// The values of a string column; `None` as a whole if it is not one.
pub(super) fn strings(array: &ArrayRef) -> Option<Vec<Option<String>>> {
    Some(match array.data_type() {
        DataType::Utf8 => values(array.as_string::<i32>(), str::to_owned),
        DataType::LargeUtf8 => values(array.as_string::<i64>(), str::to_owned),
        DataType::Utf8View => values(array.as_string_view(), str::to_owned),
        _ => return None,
    })
}

/// The values of a binary column; `None` as a whole if it is not one.
pub(super) fn bodies(array: &ArrayRef) -> Option<Vec<Option<Vec<u8>>>> {
    Some(match array.data_type() {
        DataType::Binary => values(array.as_binary::<i32>(), <[u8]>::to_vec),
        DataType::LargeBinary => values(array.as_binary::<i64>(), <[u8]>::to_vec),
        DataType::BinaryView => values(array.as_binary_view(), <[u8]>::to_vec),
        _ => return None,
    })
}

/// The values of an integer column; `None` as a whole if it is not one. What does not fit into 64
/// bits with a sign is no status either, and stays so.
pub(super) fn integers(array: &ArrayRef) -> Option<Vec<Option<i64>>> {
    Some(match array.data_type() {
        DataType::Int8 => values(array.as_primitive::<Int8Type>(), i64::from),
        DataType::Int16 => values(array.as_primitive::<Int16Type>(), i64::from),
        DataType::Int32 => values(array.as_primitive::<Int32Type>(), i64::from),
        DataType::Int64 => values(array.as_primitive::<Int64Type>(), |value| value),
        DataType::UInt8 => values(array.as_primitive::<UInt8Type>(), i64::from),
        DataType::UInt16 => values(array.as_primitive::<UInt16Type>(), i64::from),
        DataType::UInt32 => values(array.as_primitive::<UInt32Type>(), i64::from),
        DataType::UInt64 => values(array.as_primitive::<UInt64Type>(), |value| {
            i64::try_from(value).unwrap_or(i64::MAX)
        }),
        _ => return None,
    })
}

/// The values of a timestamp column in milliseconds; `None` as a whole if it is not one. Finer
/// units are rounded down; what overflows is outside every date and stays so.
pub(super) fn times(array: &ArrayRef) -> Option<Vec<Option<i64>>> {
    let DataType::Timestamp(unit, _) = array.data_type() else { return None };
    Some(match unit {
        TimeUnit::Second => values(array.as_primitive::<TimestampSecondType>(), |value| {
            value.checked_mul(1000).unwrap_or(i64::MAX)
        }),
        TimeUnit::Millisecond => {
            values(array.as_primitive::<TimestampMillisecondType>(), |value| value)
        }
        TimeUnit::Microsecond => {
            values(array.as_primitive::<TimestampMicrosecondType>(), |value| value.div_euclid(1000))
        }
        TimeUnit::Nanosecond => values(array.as_primitive::<TimestampNanosecondType>(), |value| {
            value.div_euclid(1_000_000)
        }),
    })
}

#[expect(clippy::needless_pass_by_value, reason = "`A` is itself a reference")]
fn values<A: ArrayAccessor, T>(array: A, value: impl Fn(A::Item) -> T) -> Vec<Option<T>> {
    (0..array.len()).map(|row| array.is_valid(row).then(|| value(array.value(row)))).collect()
}
