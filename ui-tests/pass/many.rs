//! Long lists: every item of them is there.
#![deny(warnings, missing_docs)]

use authority::operations::filesystem;
use authority::{ThreadPermissions, authority};

authority! {
    /// A host with many environment entries.
    mod many {
        filesystem "ws" => read;
        environment "E0", "E1", "E2", "E3", "E4", "E5", "E6", "E7", "E8", "E9", "E10", "E11", "E12", "E13", "E14";
        environment "E15", "E16", "E17", "E18", "E19", "E20", "E21", "E22", "E23", "E24", "E25", "E26", "E27", "E28", "E29";
        environment "E30", "E31", "E32", "E33", "E34", "E35", "E36", "E37", "E38", "E39", "E40", "E41", "E42", "E43", "E44";
        environment "E45", "E46", "E47", "E48", "E49", "E50", "E51", "E52", "E53", "E54", "E55", "E56", "E57", "E58", "E59";
        environment "E60", "E61", "E62", "E63", "E64", "E65", "E66", "E67", "E68", "E69", "E70", "E71", "E72", "E73", "E74";
        environment "E75", "E76", "E77", "E78", "E79", "E80", "E81", "E82", "E83", "E84", "E85", "E86", "E87", "E88", "E89";
        environment "E90", "E91", "E92", "E93", "E94", "E95", "E96", "E97", "E98", "E99", "E100", "E101", "E102", "E103", "E104";
        environment "E105", "E106", "E107", "E108", "E109", "E110", "E111", "E112", "E113", "E114", "E115", "E116", "E117", "E118", "E119";
        environment "E120", "E121", "E122", "E123", "E124", "E125", "E126", "E127", "E128", "E129", "E130", "E131", "E132", "E133", "E134";
        environment "E135", "E136", "E137", "E138", "E139", "E140", "E141", "E142", "E143", "E144", "E145", "E146", "E147", "E148", "E149";
        environment "E150", "E151", "E152", "E153", "E154", "E155", "E156", "E157", "E158", "E159", "E160", "E161", "E162", "E163", "E164";
        environment "E165", "E166", "E167", "E168", "E169", "E170", "E171", "E172", "E173", "E174", "E175", "E176", "E177", "E178", "E179";
        environment "E180", "E181", "E182", "E183", "E184", "E185", "E186", "E187", "E188", "E189", "E190", "E191", "E192", "E193", "E194";
        environment "E195", "E196", "E197", "E198", "E199", "E200", "E201", "E202", "E203", "E204", "E205", "E206", "E207", "E208", "E209";
        environment "E210", "E211", "E212", "E213", "E214", "E215", "E216", "E217", "E218", "E219", "E220", "E221", "E222", "E223", "E224";
        environment "E225", "E226", "E227", "E228", "E229", "E230", "E231", "E232", "E233", "E234", "E235", "E236", "E237", "E238", "E239";
        environment "E240", "E241", "E242", "E243", "E244", "E245", "E246", "E247", "E248", "E249", "E250", "E251", "E252", "E253", "E254";
        environment "E255", "E256", "E257", "E258", "E259", "E260", "E261", "E262", "E263", "E264", "E265", "E266", "E267", "E268", "E269";
        environment "E270", "E271", "E272", "E273", "E274", "E275", "E276", "E277", "E278", "E279", "E280", "E281", "E282", "E283", "E284";
        environment "E285", "E286", "E287", "E288", "E289", "E290", "E291", "E292", "E293", "E294", "E295", "E296", "E297", "E298", "E299";
    }
}

fn main() {
    let names = (0..300).map(|number| format!("E{number}"));
    let builder = ThreadPermissions::builder().filesystem("ws", [filesystem::Read]);
    let built = names.fold(builder, |builder, name| builder.environment(&name)).build().expect("builds");
    assert_eq!(many::PERMISSIONS, built);
    assert_eq!(many::PERMISSIONS.environment().count(), 300);
    assert_eq!(many::PERMISSIONS.to_json(), built.to_json());
}
