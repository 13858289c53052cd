"""Files of planned workouts for head units, watches and trainers: FIT, ZWO, ERG and MRC."""
