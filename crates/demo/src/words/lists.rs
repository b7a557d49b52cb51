//! The lists themselves. Formatted by hand, many words to a line.

pub(crate) const BIRDS: &[&str] = &[
    "sanderling", "dunlin", "oystercatcher", "ringed plover", "turnstone", "curlew", "redshank",
    "knot", "avocet", "little tern", "kittiwake", "puffin", "guillemot", "cormorant", "eider",
    "brent goose", "bar-tailed godwit", "grey heron", "little egret", "black-headed gull",
    "herring gull", "fulmar", "gannet", "razorbill", "whimbrel", "lapwing", "shelduck", "wigeon",
    "purple sandpiper", "greenshank", "rock pipit", "snow bunting", "arctic skua", "grey plover",
    "storm petrel", "common scoter", "red-throated diver", "marsh harrier", "short-eared owl",
    "spoonbill",
];

pub(crate) const BOATS: &[&str] = &[
    "fishing smack", "dinghy", "lugger", "skiff", "ketch", "cutter", "ferry", "pilot boat",
    "trawler", "barge", "yawl", "coble", "punt", "lifeboat", "rowing gig", "dredger", "tug",
    "survey launch", "oyster boat", "sailing canoe", "harbour launch", "crabber", "schooner",
    "paddle steamer", "lightship",
];

pub(crate) const VESSELS: &[&str] = &[
    "Second Wind", "Patience", "Grey Lady", "Marigold", "Northern Lass", "Two Sisters", "Petrel",
    "Good Intent", "Silver Darling", "Morning Watch", "Wanderer", "Thrift", "Kittiwake",
    "Boy Harry", "Slack Water", "Bright Hour", "Susan May", "Lantern", "Quiet Company", "Foam",
];

pub(crate) const PLACES: &[&str] = &[
    "Grey Point", "Saltmarsh Bay", "Hollow Sands", "Kettle Quay", "Long Bar", "Mussel Creek",
    "Lantern Head", "Wick Strand", "Otter Ness", "Fennel Island", "Cold Harbour", "Samphire Flats",
    "Gull Rock", "Ferry Steps", "Blackwater Reach", "Holm Spit", "Penny Cove", "Rope Walk",
    "Shingle End", "St Bride's Haven", "Tern Hill", "The Narrows", "Winter Mooring",
    "Eastgate Pier", "Coble Landing", "Marram Dunes", "Drifter's Gut", "Old Ballast Wharf",
    "Limpet Stairs", "Seven Stakes",
];

pub(crate) const PLANTS: &[&str] = &[
    "samphire", "marram grass", "sea lavender", "thrift", "bladderwrack", "kelp", "sea holly",
    "eelgrass", "sea kale", "cord grass", "yellow horned poppy", "sea campion", "dulse", "sea beet",
    "glasswort", "sea aster", "tamarisk", "sea buckthorn",
];

pub(crate) const GEAR: &[&str] = &[
    "mooring line", "bronze shackle", "storm lantern", "hand compass", "kedge anchor",
    "cork fender", "oilskin coat", "tide clock", "sounding lead", "bilge pump", "fog horn",
    "canvas bucket", "splicing fid", "brass cleat", "signal flag", "crab pot", "landing net",
    "barometer", "chart table", "spotting scope", "boat hook", "sail needle", "rope ladder",
    "life ring",
];

pub(crate) const FIRST_NAMES: &[&str] = &[
    "Ada", "Bram", "Cora", "Davi", "Elsie", "Finn", "Greta", "Hamish", "Ines", "Jonah", "Keiko",
    "Linus", "Maren", "Nadia", "Olaf", "Petra", "Quentin", "Rosa", "Sami", "Tove", "Una", "Viktor",
    "Wanda", "Yusuf", "Zoe",
];

pub(crate) const LAST_NAMES: &[&str] = &[
    "Ash", "Bell", "Carrow", "Dunmore", "Eddy", "Fenwick", "Grove", "Hale", "Innes", "Jarvis",
    "Kerr", "Lund", "Marsh", "Noakes", "Orme", "Pike", "Quill", "Reed", "Strand", "Tidy",
    "Underhill", "Vane", "Wharton", "Yarrow",
];

pub(crate) const WEATHER: &[&str] = &[
    "sea mist", "steady drizzle", "north-easterly wind", "hard frost", "low cloud", "warm spell",
    "summer haze", "westerly gale", "spring sunshine", "sleet", "heavy swell", "morning fog",
    "long calm", "thunder", "bright cold air", "south-westerly breeze",
];

pub(crate) const TIDES: &[&str] = &[
    "spring tide", "neap tide", "ebb", "flood", "slack water", "morning high water",
    "evening low water", "turn of the tide", "storm surge", "equinox tide",
];

pub(crate) const ADJECTIVES: &[&str] = &[
    "grey", "quiet", "narrow", "broad", "sheltered", "weathered", "bright", "pale", "steep", "calm",
    "patient", "well-kept", "forgotten", "salt-bleached", "sturdy", "gentle", "modest", "lively",
    "remote", "busy", "familiar", "strange", "muddy", "windswept", "low-lying", "sunlit",
];

pub(crate) const GROUNDS: &[&str] = &[
    "mudflat", "shingle bank", "sandbar", "salt marsh", "tidal creek", "breakwater", "slipway",
    "sea wall", "dune ridge", "harbour mouth", "rock pool", "river mouth", "mooring field",
    "strandline", "reed bed", "coastal path",
];

pub(crate) const WHENS: &[&str] = &[
    "before dawn", "late in the afternoon", "on Tuesday", "on Saturday morning",
    "an hour after high water", "in the first days of the month", "at dusk", "over the weekend",
    "during the last neaps", "soon after the ferry had left", "towards evening", "at first light",
    "in the middle of the night", "on Thursday",
];

pub(crate) const OFFICES: &[&str] = &[
    "harbour board", "coast guard", "parish council", "bird observatory", "sailing club",
    "lifeboat station", "port authority", "fishermen's cooperative", "tide survey", "museum trust",
    "dune wardens", "ferry company",
];

pub(crate) const SEASONS: &[&str] = &[
    "spring", "summer", "autumn", "winter", "passage season", "breeding season", "storm season",
    "herring season",
];

pub(crate) const DISHES: &[&str] = &[
    "smoked mackerel on toast", "mussels in cider", "crab sandwiches", "fish soup with saffron",
    "samphire and butter", "kippers", "seaweed bread", "potted shrimps",
];

pub(crate) const PARTS: &[&str] = &[
    "tide reader", "harbour index", "mooring table", "chart cache", "signal queue", "log book",
    "gauge adapter", "buoy registry", "forecast loader", "berth planner", "light schedule",
    "depth filter",
];

pub(crate) const SETTINGS: &[&str] = &[
    "gauge.interval", "chart.scale", "mooring.limit", "log.keep_days", "forecast.source",
    "signal.retry", "depth.datum", "light.period", "berth.margin", "cache.folder", "tide.station",
    "report.style",
];

pub(crate) const COMMANDS: &[&str] = &[
    "gauge read", "chart import", "berth plan", "log show", "signal test", "tide predict",
    "light check", "depth survey", "mooring list", "report build", "buoy add", "cache trim",
];

pub(crate) const MATERIALS: &[&str] = &[
    "galvanised steel", "seasoned larch", "tarred hemp", "marine bronze", "waxed canvas", "cork",
    "stainless wire", "boiled wool", "copper", "hard-laid cotton", "recycled nylon", "red cedar",
];

pub(crate) const COLOURS: &[&str] = &[
    "navy", "signal red", "sand", "slate", "buff", "bottle green", "white", "tar black", "mustard",
    "pale blue",
];

pub(crate) const FEELINGS: &[&str] = &[
    "content", "curious", "tired and happy", "humbled", "surprised", "restless", "grateful",
    "sceptical", "hopeful", "cold to the bone",
];
