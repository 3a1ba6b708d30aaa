//! Texts of flags in messages.

/// Empty for a flag of a newer release.
pub fn flag_text(flag: &str, spanish: bool) -> &'static str {
    let (english, spanish_text) = match flag {
        "below_meter" => ("below the meter", "menor que el horómetro"),
        "contradicts" => ("contradicts another reading", "contradice otra lectura"),
        "jump" => ("far above the usual use", "muy por encima de lo habitual"),
        "fuel_high" => ("more fuel than usual", "más combustible de lo habitual"),
        "wrong_fuel" => ("another kind of fuel", "otro tipo de combustible"),
        "wrong_unit" => (
            "another unit than the meter's",
            "otra unidad que la del medidor",
        ),
        "repeated" => ("reported twice", "reportado dos veces"),
        "refused" => ("could not be applied", "no se pudo aplicar"),
        "removed_device" => ("from a removed phone", "desde un teléfono retirado"),
        "removed_person" => ("from a removed person", "de una persona dada de baja"),
        _ => ("", ""),
    };
    if spanish { spanish_text } else { english }
}
