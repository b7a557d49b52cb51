//! Lines of an index that are nearly right: any digits for a date, any value for a field.
use std::{io::Cursor, path::Path};

use proptest::prelude::*;
use warc::cdxj::{CdxjEntry, CdxjReader};

proptest! {
    #[test]
    fn no_line_makes_the_reader_fall_over(
        key in "[a-z,)/]{0,10}",
        date in "[0-9]{14,17}|(19|20)[0-9]{2}(0[1-9]|1[0-2])[0-2][0-9][0-9]{6}|[0-9:-]{0,20}",
        status in "\"[0-9-]{0,6}\"|[0-9]{1,6}|null|-1|\\{\\}",
        offset in "\"[0-9]{0,22}\"|-?[0-9]{1,22}|1e9|true",
    ) {
        let line = format!(
            "{key} {date} {{\"url\": \"http://a.org/\", \"status\": {status}, \"offset\": {offset}, \
             \"length\": \"9\", \"filename\": \"x.warc\"}}"
        );
        for entry in CdxjReader::new(Path::new("x"), Cursor::new(&line)).flatten() {
            prop_assert_eq!(CdxjEntry::parse(&entry.to_string()).map(|again| again.offset), Ok(entry.offset));
        }
    }
}
