"""Column names of the formulas' data frames."""

# Sections of a session (laps, climbs, lengths, planned steps, selections).
DURATION_S = "duration_s"
DISTANCE_M = "distance_m"
INTENSITY = "intensity"

# Curves and distributions.
POWER_W = "power_w"

# Season and recovery.
DAY = "day"
WEEK = "week"
SPORT = "sport"
STIMULUS = "stimulus"
SESSIONS = "sessions"
VOLUME = "volume"
FITNESS = "fitness"
FATIGUE = "fatigue"
FORM = "form"
EFFORTS = "efforts"
CHANGE_PCT = "change_pct"
WORK_BIN_KJ_PER_KG = "work_bin_kj_per_kg"
