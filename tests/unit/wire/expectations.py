"""The interface document's tables in the project's own words: each object, field by field.

Written from the document and not from the models, so that a field forgotten there is missed here.
"kind?" may be null, "optional" may be absent, "[X]" is a list of X.
"""

from dataclasses import dataclass

_TABLES = {
    "User": """
        id: text
        firstName: text?
        lastName: text?
        dateOfBirth: day?
        gender: Gender?
        height: number?
        dataOnboardingStatus: DataOnboardingStatus
        userMetricReadiness: UserMetricReadiness?
    """,
    "UserProfile": """
        latestMetrics: [LatestMetric]
        workspaces: [WorkspaceMembership] optional
    """,
    "LatestMetric": """
        sport: MetricSport
        type: MetricType
        source: MetricSource?
        value: number
    """,
    "WorkspaceMembership": """
        id: text
        name: text
        slug: text
        role: WorkspaceRole
    """,
    "Activity": """
        id: text
        groupId: text?
        name: text?
        description: text?
        sport: Sport?
        subSport: SubSport?
        startedAt: moment?
        utcOffset: number?
        startedAtLocal: local moment?
        movingDuration: number?
        effectiveDuration: number?
        totalDuration: number?
        trainingStimulus: TrainingStimulus?
        raceType: RaceType?
        distance: number?
        elevationLoss: number?
        elevationGain: number?
        minElevation: number?
        averageElevation: number?
        maxElevation: number?
        startLatitude: number?
        startLongitude: number?
        averageSpeed: number?
        maxSpeed: number?
        averageCadence: number?
        maxCadence: number?
        averageRunningCadence: number?
        maxRunningCadence: number?
        minTemperature: number?
        averageTemperature: number?
        maxTemperature: number?
        averageHeartRate: number?
        maxHeartRate: number?
        averagePower: number?
        normalizedPower: number?
        maxPower: number?
        work: number?
        volume: number?
        intensity: number?
        calories: number?
        rpe: number?
        feeling: number?
        summary: text?
        laps: [Lap]
        climbs: [Climb]
        lengths: [Length]
        providerLaps: [ProviderLap]
    """,
    "Lap": """
        intensity: LapIntensity
        characteristic: LapCharacteristic?
        startedAtIndex: index
        endedAtIndex: index
        startedAt: moment
        endedAt: moment
        duration: number
        distance: number?
        averagePower: number?
        maxPower: number?
        averageCadence: number?
        maxCadence: number?
        averageHeartRate: number?
        maxHeartRate: number?
        averageSpeed: number?
        maxSpeed: number?
        averageAltitude: number?
        elevationGain: number?
        elevationLoss: number?
        averageTorque: number?
        maxTorque: number?
        averageTemperature: number?
        workBefore: number?
    """,
    "Climb": """
        startedAtIndex: index
        endedAtIndex: index
        startedAt: moment
        endedAt: moment
        duration: number
        distance: number
        averageGrade: number
        maxGrade: number
        averagePower: number?
        maxPower: number?
        averagePowerPerKilo: number?
        maxPowerPerKilo: number?
        workBefore: number?
        averageCadence: number?
        maxCadence: number?
        averageHeartRate: number?
        maxHeartRate: number?
        averageSpeed: number?
        maxSpeed: number?
        minAltitude: number
        maxAltitude: number
        elevationGain: number
        averageTemperature: number?
    """,
    "Length": """
        startedAtIndex: index
        endedAtIndex: index
        startedAt: moment
        endedAt: moment
        duration: number
        strokeType: StrokeType?
        averageSpeed: number?
        averageHeartRate: number?
        maxHeartRate: number?
        averageCadence: number?
        strokeCount: number?
    """,
    "ProviderLap": """
        startedAt: moment
        endedAt: moment
        intensity: text?
        lapTrigger: text?
    """,
    "TrainingPrescription": """
        id: text
        date: day
        time: time of day?
        title: text
        description: text?
        sport: Sport
        subSport: SubSport?
        trainingStimulus: TrainingStimulus?
        structure: [StructureElement]?
        zonesType: ZonesType?
        distance: number?
        duration: number?
        freeDuration: number?
        elevationGain: number?
        averagePower: number?
        work: number?
        calories: number?
        rpe: number?
        carbIntake: number?
        comment: text?
        activityId: text?
    """,
    "Note": """
        id: text
        type: NoteType
        title: text
        content: text?
        date: day
        time: time of day?
    """,
    "Event": """
        id: text
        name: text
        description: text?
        date: day
        time: time of day?
        sport: Sport
        subSport: SubSport?
        distance: number?
        elevationGain: number?
        duration: number?
        work: number?
        carbIntake: number?
        activityId: text?
    """,
    "Metric": """
        id: text
        type: MetricType
        value: number
        unit: MetricUnit?
        source: MetricSource?
        date: day
        sport: MetricSport
    """,
    "Sleep": """
        id: text
        day: day
        startedAt: moment?
        endedAt: moment?
        utcOffset: number?
        startedAtLocal: local moment?
        endedAtLocal: local moment?
        totalDuration: number?
        inBedDuration: number?
        awakeDuration: number?
        lightDuration: number?
        remDuration: number?
        deepDuration: number?
        noDataDuration: number?
        averageHrv: number?
        restingHeartRate: number?
        skinBodyTemperature: number?
        skinBodyTemperatureDeviation: number?
    """,
    "StructureIntensity": """
        serviceIntensity: LapIntensity?
        zone: text?
        fromPower: IntensitySourceKind?
        fromHeartRate: IntensitySourceKind?
        minPower: number?
        maxPower: number?
        minPowerThresholdPercentage: number?
        maxPowerThresholdPercentage: number?
        minHeartRate: number?
        maxHeartRate: number?
        minMaxHeartRatePercentage: number?
        maxMaxHeartRatePercentage: number?
        minCadence: number?
        maxCadence: number?
        fromSpeed: IntensitySourceKind? optional
        minSpeed: number? optional
        maxSpeed: number? optional
        minSpeedThresholdPercentage: number? optional
        maxSpeedThresholdPercentage: number? optional
    """,
    "UserMetricReadiness": """
        hasServiceCyclingCriticalPower: yes or no
        hasServiceRunningCriticalPower: yes or no
        hasServiceRunningCriticalSpeed: yes or no
    """,
    "FreeLength": """
        type: 'free'
    """,
    "DurationLength": """
        type: 'duration'
        duration: number
    """,
    "DistanceLength": """
        type: 'distance'
        distance: number
    """,
    "StructureStep": """
        type: 'step'
        label: StepLabel
        intensity: StructureIntensity
        length: StepLength
    """,
    "StructureRepetition": """
        type: 'repetition'
        nRepetitions: index
        steps: [StructureElement]
    """,
    "CreateWorkspaceInvitation": """
        email: text
        role: InvitedRole
        sendInvitationEmail: yes or no optional
    """,
    "WorkspaceInvitation": """
        id: text
        workspaceId: text
        email: text
        role: InvitedRole
        code: text
        expiresAt: moment
    """,
    "ErrorBody": """
        code: text
        error: text
    """,
}


@dataclass(frozen=True, slots=True)
class Expected:
    """One field as the document has it."""

    name: str
    kind: str
    is_nullable: bool
    is_optional: bool


def _read(line: str) -> Expected:
    name, kind = line.strip().split(": ", 1)
    is_optional = kind.endswith(" optional")
    kind = kind.removesuffix(" optional")
    return Expected(name, kind.removesuffix("?"), kind.endswith("?"), is_optional)


OBJECTS = {name: tuple(_read(line) for line in table.strip().splitlines()) for name, table in _TABLES.items()}
OBJECTS["UserProfile"] = OBJECTS["User"] + OBJECTS["UserProfile"]

ENUMERATION_SIZES = {
    "Sport": 81,
    "SubSport": 112,
    "LapIntensity": 7,
    "LapCharacteristic": 6,
    "TrainingStimulus": 13,
    "RaceType": 5,
    "StrokeType": 9,
    "MetricType": 11,
    "MetricSport": 4,
    "MetricSource": 2,
    "MetricUnit": 9,
    "Gender": 3,
    "DataOnboardingStatus": 4,
    "WorkspaceRole": 3,
    "NoteType": 7,
    "ZonesType": 3,
    "IntensitySourceKind": 3,
    "StepLabel": 6,
    "InvitedRole": 2,
}
"""How many values each closed list has."""
