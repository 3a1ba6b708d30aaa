//! Machines of the demo company, a small earthworks contractor. Weeks count from the start of its
//! history.

use hourmeter_proto::equipment::v1::{CalendarUnit, EquipmentFuel, EquipmentType, MeterUnit};

pub const WEEKS: u32 = 20;

pub struct Machine {
    pub name: &'static str,
    pub kind: EquipmentType,
    /// Empty: none.
    pub unit_number: &'static str,
    pub serial: &'static str,
    pub unit: MeterUnit,
    pub fuel: EquipmentFuel,
    /// First meter reading.
    pub start: f64,
    /// Usage in an average week.
    pub weekly: f64,
    /// Gallons in an average week.
    pub weekly_fuel: f64,
    /// Usage between services; 0: none.
    pub interval: f64,
    /// Weeks with a service.
    pub serviced: &'static [u32],
    pub lifespan: Option<f64>,
    /// Calendar interval, and its start in days before now.
    pub schedule: Option<(u32, CalendarUnit, i64)>,
    pub description: &'static str,
}

const MACHINERY: EquipmentType = EquipmentType::Machinery;
const VEHICLE: EquipmentType = EquipmentType::Vehicle;
const TOOLS: EquipmentType = EquipmentType::Tools;
const DIESEL: EquipmentFuel = EquipmentFuel::Diesel;
const GASOLINE: EquipmentFuel = EquipmentFuel::Gasoline;
const NO_FUEL: EquipmentFuel = EquipmentFuel::NotApplicable;
const HOURS: MeterUnit = MeterUnit::Hours;
const MILES: MeterUnit = MeterUnit::Miles;

#[allow(
    clippy::too_many_arguments,
    reason = "a row of a table, in the order of its columns"
)]
const fn row(
    name: &'static str,
    kind: EquipmentType,
    (unit_number, serial): (&'static str, &'static str),
    (unit, fuel): (MeterUnit, EquipmentFuel),
    (start, weekly, weekly_fuel): (f64, f64, f64),
    (interval, serviced): (f64, &'static [u32]),
    lifespan: Option<f64>,
    schedule: Option<(u32, CalendarUnit, i64)>,
    description: &'static str,
) -> Machine {
    Machine {
        name,
        kind,
        unit_number,
        serial,
        unit,
        fuel,
        start,
        weekly,
        weekly_fuel,
        interval,
        serviced,
        lifespan,
        schedule,
        description,
    }
}

/// The 14 machines cover every service status.
pub const MACHINES: [Machine; 14] = [
    row(
        "Excavator CAT 320",
        MACHINERY,
        ("EX-01", "CAT0320KZX01187"),
        (HOURS, DIESEL),
        (4051.5, 38.0, 162.0),
        (250.0, &[6, 12]),
        Some(12_000.0),
        None,
        "Main digger. Bucket pins greased every morning.",
    ),
    row(
        "Skid steer Bobcat S650",
        MACHINERY,
        ("SS-02", "ALJ812345"),
        (HOURS, DIESEL),
        (1822.0, 24.0, 58.0),
        (250.0, &[11]),
        Some(8_000.0),
        None,
        "Forks and 74 in bucket on the trailer.",
    ),
    row(
        "Wheel loader Volvo L60H",
        MACHINERY,
        ("WL-03", "VCEL060HK0S70432"),
        (HOURS, DIESEL),
        (6190.2, 26.5, 118.0),
        (500.0, &[4]),
        Some(15_000.0),
        None,
        "",
    ),
    row(
        "Backhoe John Deere 310SL",
        MACHINERY,
        ("BH-04", "1T0310SLKLG38812"),
        (HOURS, DIESEL),
        (2977.8, 20.0, 61.0),
        (250.0, &[8]),
        Some(10_000.0),
        None,
        "Hydraulic hose on the stabilizer replaced in spring.",
    ),
    row(
        "Dozer Komatsu D51",
        MACHINERY,
        ("DZ-05", "KMT0D51PB13544"),
        (HOURS, DIESEL),
        (5120.0, 18.0, 96.0),
        (500.0, &[9]),
        None,
        None,
        "",
    ),
    row(
        "Trencher Vermeer RTX550",
        MACHINERY,
        ("TR-06", "1VRA110R9K1001162"),
        (HOURS, DIESEL),
        (612.4, 9.5, 14.0),
        (100.0, &[1, 9]),
        None,
        None,
        "",
    ),
    row(
        "Plate compactor Wacker",
        TOOLS,
        ("", "WN5100033881"),
        (HOURS, GASOLINE),
        (233.0, 6.0, 4.5),
        (50.0, &[4, 15]),
        Some(2_000.0),
        None,
        "",
    ),
    row(
        "Compressor Atlas Copco XAS 185",
        TOOLS,
        ("", "4500A10175R021234"),
        (HOURS, DIESEL),
        (1410.6, 11.0, 22.0),
        (400.0, &[]),
        None,
        Some((6, CalendarUnit::Months, 178)),
        "Also due by the calendar: twice a year.",
    ),
    row(
        "Generator Honda EU7000",
        TOOLS,
        ("", "EEJD-1047731"),
        (HOURS, GASOLINE),
        (388.0, 7.5, 9.0),
        (100.0, &[13]),
        None,
        None,
        "",
    ),
    row(
        "Ford F-150 (17)",
        VEHICLE,
        ("T-10", "1FTEW1EP5HFA01782"),
        (MILES, GASOLINE),
        (81_240.0, 382.0, 21.5),
        (5_000.0, &[6]),
        Some(200_000.0),
        None,
        "Foreman's truck.",
    ),
    row(
        "Ram 2500 service truck",
        VEHICLE,
        ("T-11", "3C6UR5CL9KG512210"),
        (MILES, DIESEL),
        (64_885.0, 296.0, 19.0),
        (7_500.0, &[2]),
        Some(250_000.0),
        None,
        "Carries the grease rig.",
    ),
    row(
        "Dump truck Mack Granite",
        VEHICLE,
        ("T-12", "1M2GR3GC7LM018844"),
        (MILES, DIESEL),
        (173_420.0, 510.0, 88.0),
        (12_000.0, &[]),
        Some(200_000.0),
        Some((1, CalendarUnit::Years, 366)),
        "DOT inspection once a year.",
    ),
    row(
        "Equipment trailer 20T",
        EquipmentType::Other,
        ("TL-13", "5VNBU2528KT214490"),
        (MeterUnit::NotApplicable, NO_FUEL),
        (0.0, 0.0, 0.0),
        (0.0, &[]),
        None,
        Some((6, CalendarUnit::Months, 120)),
        "Brakes and lights checked every six months.",
    ),
    row(
        "Laser level Topcon",
        TOOLS,
        ("", "RL-H5A-66120"),
        (MeterUnit::NotApplicable, NO_FUEL),
        (0.0, 0.0, 0.0),
        (0.0, &[]),
        None,
        None,
        "Calibration card in the case.",
    ),
];

/// A service task beside the machine's own.
pub struct Task {
    /// Index in [`MACHINES`].
    pub machine: usize,
    pub name: &'static str,
    /// Usage between services; 0: none.
    pub interval: f64,
    /// Meter at the last service.
    pub last_done: f64,
    /// Calendar interval, and the last service in days before now.
    pub calendar: Option<(u32, CalendarUnit, i64)>,
}

/// One of them is the most urgent task of its machine.
pub const TASKS: [Task; 6] = [
    Task {
        machine: 0,
        name: "Hydraulic oil and filters",
        interval: 1_000.0,
        last_done: 4_020.0,
        calendar: None,
    },
    Task {
        machine: 0,
        name: "Annual inspection",
        interval: 0.0,
        last_done: 0.0,
        calendar: Some((1, CalendarUnit::Years, 340)),
    },
    Task {
        machine: 2,
        name: "Air filter",
        interval: 250.0,
        last_done: 6_460.0,
        calendar: Some((1, CalendarUnit::Years, 150)),
    },
    Task {
        machine: 9,
        name: "Tire rotation",
        interval: 6_000.0,
        last_done: 82_300.0,
        calendar: None,
    },
    Task {
        machine: 9,
        name: "Brake fluid",
        interval: 0.0,
        last_done: 0.0,
        calendar: Some((2, CalendarUnit::Years, 410)),
    },
    Task {
        machine: 11,
        name: "Chassis grease",
        interval: 2_500.0,
        last_done: 181_000.0,
        calendar: Some((3, CalendarUnit::Months, 40)),
    },
];

/// Parts for the next service: machine index, part, number, quantity.
pub const PARTS: [(usize, &str, &str, u32); 5] = [
    (0, "Engine oil filter", "1R-1807", 1),
    (0, "Fuel filter", "360-8960", 2),
    (0, "Engine oil 15W-40, gal", "", 5),
    (1, "Engine oil filter", "6678233", 1),
    (9, "Oil filter", "FL-500S", 1),
];
