import { INVENTED_KMH, SLOW_RECEIVER_WEIGHT, WEIGHTS } from '../../../derive/trips/reading.ts'
import type { EvidenceSource, StatedEvidence } from '../../../derive/trips/retrace.ts'
import * as rules from '../../../derive/trips/rules.ts'
import type { Language } from '../../replies.ts'
import { type Evidence, type RuleInForce, SOURCE_WORDS } from './schema.ts'
import type { Texts } from './texts.ts'

/** Units by the end of a name, the longest first. */
const UNITS = [
  ['_M_PER_MS', 'm/ms'],
  ['_KMH', 'km/h'],
  ['_KM', 'km'],
  ['_DEG', '°'],
  ['_DAYS', 'd'],
  ['_PER_MILE', 'km/mi'],
  ['_MS', 'ms'],
  ['_M', 'm'],
] as const

const VALUES: Readonly<Record<keyof typeof rules, number>> = { ...rules }

/** Every parameter of the rules of trips, by its name in `src/derive/trips/rules.ts`; those of begin and end come first. */
export function rulesInForce(language: Language): RuleInForce[] {
  return (Object.keys(RULE_TEXTS) as (keyof typeof VALUES)[]).map(name => ({
    name,
    value: VALUES[name],
    unit: UNITS.find(([end]) => name.endsWith(end))?.[1] ?? '',
    description: RULE_TEXTS[name][language],
  }))
}

/** The compiler checks that all are here. Explanations list them in this order. */
const RULE_TEXTS: Readonly<Record<keyof typeof rules, Texts>> = {
  IGNITION_PAUSE_MS: {
    en: 'Ignition or engine off for less does not end a trip.',
    de: 'Sind Zündung oder Motor kürzer aus, endet die Fahrt nicht.',
  },
  DATA_GAP_MS: {
    en: 'Without measurements for so long, a trip has ended with the last one.',
    de: 'Nach so langer Zeit ohne Messwerte endete die Fahrt mit dem letzten.',
  },
  SILENT_INTERVALS: {
    en: 'A device that reports rarely may be silent for so many of its usual intervals, if that is longer.',
    de: 'Ein Gerät, das selten meldet, darf so viele seiner üblichen Abstände lang schweigen, wenn das länger ist.',
  },
  LONGEST_SILENCE_MS: {
    en: 'After so long without measurements a trip has ended in any case; a shorter silence is bridged when odometer or positions show that the car drove on.',
    de: 'Nach so langer Zeit ohne Messwerte ist eine Fahrt in jedem Fall zu Ende; eine kürzere Stille wird überbrückt, wenn Kilometerzähler oder Positionen zeigen, dass das Fahrzeug weiterfuhr.',
  },
  MOTION_PAUSE_MS: {
    en: 'Where neither ignition nor engine is reported: without motion for so long, a trip has ended.',
    de: 'Wo weder Zündung noch Motor gemeldet werden: nach so langem Stillstand ist eine Fahrt zu Ende.',
  },
  IDLE_MS: {
    en: 'With the ignition on and no motion for so long, the trip ended with the last motion.',
    de: 'War die Zündung so lange an, ohne dass sich das Fahrzeug bewegte, endete die Fahrt mit der letzten Bewegung.',
  },
  MOTION_KMH: { en: 'Faster is motion.', de: 'Schneller gilt als Bewegung.' },
  STANDSTILL_READING_MS: {
    en: 'A reading of standstill so soon after the last motion is the end of the trip.',
    de: 'Eine Meldung des Stillstands so bald nach der letzten Bewegung ist das Ende der Fahrt.',
  },
  SHORTEST_TRIP_MS: {
    en: 'What is shorter than this and than the least distance is no trip.',
    de: 'Was kürzer dauert und kürzer ist als die geringste Strecke, ist keine Fahrt.',
  },
  SHORTEST_TRIP_M: {
    en: 'What is shorter than this and than the least time is no trip.',
    de: 'Was kürzer ist und kürzer dauert als die geringste Zeit, ist keine Fahrt.',
  },
  MOTION_DISPLACEMENT_M: {
    en: 'What motion alone began is a trip once the car got so far.',
    de: 'Was nur mit Bewegung begann, ist eine Fahrt, sobald das Fahrzeug so weit kam.',
  },
  UNSURE_DISPLACEMENT_M: {
    en: 'The same from a place that is known by a few positions only.',
    de: 'Dasselbe von einem Ort aus, der nur durch wenige Positionen bekannt ist.',
  },
  UNPROVEN_MS: {
    en: 'Motion that got less far is forgotten after so long altogether.',
    de: 'Bewegung, die nicht so weit kam, wird nach insgesamt so langer Zeit vergessen.',
  },
  HYBRID_MS: {
    en: 'A car that drove for so long with its engine off is a hybrid.',
    de: 'Ein Fahrzeug, das so lange mit ausgeschaltetem Motor fuhr, ist ein Hybrid.',
  },
  WORD_FORGOTTEN_AFTER_DAYS: {
    en: 'After so many days with data but without ignition or engine, their last report no longer counts.',
    de: 'Nach so vielen Tagen mit Daten, aber ohne Zündung oder Motor, gilt deren letzte Meldung nicht mehr.',
  },
  STAY_RADIUS_M: {
    en: 'Positions this near to each other are of a car that did not move.',
    de: 'So nahe beieinander liegende Positionen sind die eines Fahrzeugs, das sich nicht bewegte.',
  },
  UNMOVED_MS: {
    en: 'Positions that stay near to each other for so long say that the car stands.',
    de: 'Positionen, die so lange nahe beieinander bleiben, sagen, dass das Fahrzeug steht.',
  },
  UNSEEN_INTERVALS: {
    en: 'A device that was silent for more of its usual intervals did not see the car drive.',
    de: 'Ein Gerät, das mehr seiner üblichen Abstände lang schwieg, hat das Fahrzeug nicht fahren sehen.',
  },
  DISPLACEMENT_HOLDS_MS: {
    en: 'What positions or odometer told of motion holds for so long while nothing else is told.',
    de: 'Was Positionen oder Kilometerzähler über Bewegung sagten, gilt so lange, solange nichts anderes gemeldet wird.',
  },
  TOWN_M_PER_MS: {
    en: 'As fast as cars get along in town: from it follows when the car left or came between two positions far apart in time.',
    de: 'So schnell kommen Fahrzeuge in der Stadt voran; daraus folgt, wann das Fahrzeug zwischen zwei zeitlich weit auseinanderliegenden Positionen losfuhr oder ankam.',
  },
  TOWN_DETOUR: {
    en: 'By so much a way in town is longer than the straight line.',
    de: 'Um so viel ist ein Weg in der Stadt länger als die gerade Linie.',
  },
  MISSED_INTERVALS: {
    en: 'After so many of its usual intervals, at least one report is missing, or the dongle reports as while parked.',
    de: 'Nach so vielen seiner üblichen Abstände fehlt mindestens eine Meldung, oder der Dongle meldet wie im Stand.',
  },
  SAME_MOMENT_MS: {
    en: 'What lies this near in time is taken for the same moment.',
    de: 'Was zeitlich so nahe beieinander liegt, gilt als derselbe Augenblick.',
  },
  LEAD_M: {
    en: 'The way from where the car stood to the first position counts when it is no longer than this (out of a garage).',
    de: 'Der Weg vom Standort des Fahrzeugs zur ersten Position zählt, wenn er nicht länger ist (aus einer Garage).',
  },
  NULL_ISLAND_DEG: {
    en: 'Positions this close to 0,0 are errors of the receiver.',
    de: 'Positionen so nahe an 0,0 sind Fehler des Empfängers.',
  },
  FASTEST_M_PER_MS: {
    en: 'No car is faster: a jump beyond it is not believed.',
    de: 'Kein Fahrzeug ist schneller; ein Sprung, der darüber liegt, wird nicht geglaubt.',
  },
  FASTEST_KMH: {
    en: 'No car is faster: what says so is an error.',
    de: 'Kein Fahrzeug ist schneller; eine solche Angabe ist ein Fehler.',
  },
  AT_FULL_SPEED_MS: {
    en: 'For longer than this no car is driven at its full speed.',
    de: 'Länger als so lange fährt kein Fahrzeug mit voller Geschwindigkeit.',
  },
  LIKELY_M_PER_MS: {
    en: 'Hardly any car is faster between two positions far apart in time: another position must agree.',
    de: 'Zwischen zwei zeitlich weit auseinanderliegenden Positionen ist kaum ein Fahrzeug schneller; eine weitere Position muss es bestätigen.',
  },
  UNSEEN_WAY_M: {
    en: 'Who was not seen for longer than usual and is then farther away must be seen there twice.',
    de: 'Wer länger als üblich nicht gesehen wurde und dann weiter entfernt ist, muss dort zweimal gesehen werden.',
  },
  TURNED_BACK_M_PER_MS: {
    en: 'A single position that lies out and back faster than this, by straight lines, is false.',
    de: 'Eine einzelne Position, zu der es in gerader Linie schneller hin und zurück ginge, ist falsch.',
  },
  DOUBTED_M_PER_MS: {
    en: 'A position that is far off and asks for this speed waits for the next one.',
    de: 'Eine weit entfernte Position, für die man so schnell sein müsste, wartet auf die nächste.',
  },
  BUSY_LEAD_MS: {
    en: 'A car that crept on and drives again so soon was at a light, and had left before.',
    de: 'Ein Fahrzeug, das vorrückte und so bald weiterfährt, stand an einer Ampel und war schon vorher losgefahren.',
  },
  FIX_ERROR_M: {
    en: 'By how much two positions may be wrong together.',
    de: 'Um so viel dürfen zwei Positionen zusammen falsch sein.',
  },
  FROZEN_FIX_MS: {
    en: 'How old a position may be that a receiver repeats (tunnel).',
    de: 'So alt darf eine Position sein, die ein Empfänger wiederholt (Tunnel).',
  },
  AGREEING_FIXES: {
    en: 'So many positions in a row that agree with each other are the new place after a jump.',
    de: 'So viele Positionen nacheinander, die zueinander passen, sind nach einem Sprung der neue Ort.',
  },
  AGREEING_MS: {
    en: 'Positions that agree for so long are the new place after a jump.',
    de: 'Positionen, die so lange zueinander passen, sind nach einem Sprung der neue Ort.',
  },
  EXCURSION_MS: {
    en: 'A car that drove here and appears elsewhere may be back within this time; positions from elsewhere are kept apart until then.',
    de: 'Ein Fahrzeug, das hier fuhr und anderswo auftaucht, kann innerhalb dieser Zeit zurück sein; so lange zählen die Positionen von dort nicht mit.',
  },
  START_FIX_MS: {
    en: 'A first position so soon after the start is where the trip began.',
    de: 'Eine erste Position so bald nach dem Beginn ist der Ort des Beginns.',
  },
  STEP_M: {
    en: 'The distance by positions is counted in steps of at least this.',
    de: 'Die Strecke nach Positionen wird in Schritten von mindestens dieser Länge gezählt.',
  },
  STANDSTILL_KMH: {
    en: 'At this speed or less, a car stands.',
    de: 'Bis zu dieser Geschwindigkeit steht ein Fahrzeug.',
  },
  STANDSTILL_DRIFT_M: {
    en: 'While the car stands, positions this near are drift and add nothing.',
    de: 'Solange das Fahrzeug steht, sind so nahe Positionen Drift und zählen nicht.',
  },
  BLIND_MS: {
    en: 'Driving for so long without a position, the distance follows from the speed of the car (tunnel, garage).',
    de: 'Fährt das Fahrzeug so lange ohne Position, folgt die Strecke aus seiner Geschwindigkeit (Tunnel, Garage).',
  },
  BLIND_LIMIT_MS: {
    en: 'Driving without a new position counts for so long by the speed of the car alone.',
    de: 'Fahren ohne neue Position zählt so lange allein nach der Geschwindigkeit des Fahrzeugs.',
  },
  RECEIVER_LOST_MS: {
    en: 'A receiver that was silent for so long is broken or unplugged, and nothing can be held against the speed.',
    de: 'Ein Empfänger, der so lange schwieg, ist kaputt oder abgezogen; gegen die Geschwindigkeit spricht dann nichts.',
  },
  SPEED_READING_MS: {
    en: 'A car that told its speed is believed to be awake for so long.',
    de: 'So lange gilt ein Fahrzeug als wach, das seine Geschwindigkeit meldete.',
  },
  MOST_ODOMETER_KM: {
    en: 'No car drives farther in its life: a greater reading of the odometer is none.',
    de: 'Kein Fahrzeug fährt je weiter: ein höherer Kilometerstand ist keiner.',
  },
  LEAST_PROGRESS_M: {
    en: 'Less of an odometer may be rounding and says nothing about driving.',
    de: 'Weniger auf dem Kilometerzähler kann Rundung sein und sagt nichts über das Fahren.',
  },
  COARSEST_STEP_M: {
    en: 'What an odometer may move at once when it shows only every so many metres.',
    de: 'So viel darf ein Kilometerzähler auf einmal weitergehen, der nur grob anzeigt.',
  },
  STUCK_ODOMETER_M: {
    en: 'An odometer that showed the same over so many metres is stuck.',
    de: 'Ein Kilometerzähler, der über so viele Meter dasselbe zeigte, steht.',
  },
  CALIBRATION_M: {
    en: 'An odometer is compared with positions over so many metres before it may be found wrong.',
    de: 'Über so viele Meter wird ein Kilometerzähler mit Positionen verglichen, bevor er für falsch gelten kann.',
  },
  CALIBRATION_FADES_M: {
    en: 'It is compared over the last trips that make so many metres.',
    de: 'Verglichen wird über die letzten Fahrten, die zusammen so lang sind.',
  },
  CALIBRATION_TRIP_M: {
    en: 'Shorter trips say nothing about whether the odometer is right.',
    de: 'Kürzere Fahrten sagen nicht, ob der Kilometerzähler stimmt.',
  },
  CALIBRATION_ERROR: {
    en: 'Trips whose positions are more uncertain than this share say nothing about the odometer.',
    de: 'Fahrten, deren Positionen um mehr als diesen Anteil unsicher sind, sagen nichts über den Kilometerzähler.',
  },
  ODOMETER_ERROR: {
    en: 'An odometer that differs from positions by more than this share is not believed.',
    de: 'Einem Kilometerzähler, der um mehr als diesen Anteil von den Positionen abweicht, wird nicht geglaubt.',
  },
  KM_PER_MILE: {
    en: 'Kilometres of a mile, for odometers that count miles.',
    de: 'Kilometer einer Meile, für Kilometerzähler, die Meilen zählen.',
  },
  ROUTE_TOLERANCE_M: {
    en: 'Every position is this near to the simplified route.',
    de: 'So nahe liegt jede Position an der vereinfachten Route.',
  },
  ROUTE_PIECE_M: { en: 'The longest straight piece of a route.', de: 'Das längste gerade Stück einer Route.' },
  CHECKPOINT_MS: {
    en: 'How often the state between trips is kept.',
    de: 'So oft wird der Stand zwischen Fahrten festgehalten.',
  },
  DRIVING_CHECKPOINT_MS: {
    en: 'How often the state within a trip is kept.',
    de: 'So oft wird der Stand während einer Fahrt festgehalten.',
  },
}

const DAY_S = 86_400

/** A source of evidence: its weight against the others, for how long its statement holds, and what it can state. */
interface SourceRow {
  /** undefined for one that is not weighed against the others: a word decides before them, or after all of them. */
  readonly weight: number | undefined
  /** 0: only at that instant. undefined: until it states something else. */
  readonly freshS: number | undefined
  readonly texts: Texts
}

const SOURCES: Readonly<Record<EvidenceSource, SourceRow>> = {
  ignition: {
    weight: undefined,
    freshS: rules.WORD_FORGOTTEN_AFTER_DAYS * DAY_S,
    texts: {
      en: 'Ignition on is a trip, off ends it, whatever others say. It does not count after an hour on without motion, until it is off again.',
      de: 'Zündung an ist eine Fahrt, aus beendet sie, was auch andere sagen. Sie gilt nicht mehr, wenn sie eine Stunde ohne Bewegung an war, bis sie wieder aus ist.',
    },
  },
  engine: {
    weight: undefined,
    freshS: rules.WORD_FORGOTTEN_AFTER_DAYS * DAY_S,
    texts: {
      en: 'Where no ignition is told: a running engine is a trip. One that is off ends none while the car moves, for hybrids drive without it.',
      de: 'Wo keine Zündung gemeldet wird: ein laufender Motor ist eine Fahrt. Ist er aus, endet keine, solange sich das Fahrzeug bewegt, denn Hybride fahren auch ohne ihn.',
    },
  },
  carSpeed: {
    weight: WEIGHTS.carSpeed,
    freshS: 0,
    texts: {
      en: 'The speed of the car itself, above or below walking pace; a mean over more than a moment counts as motion from 2 km/h on. It no longer counts after half an hour of driving without one new position.',
      de: 'Die Geschwindigkeit, die das Fahrzeug selbst meldet: mehr oder weniger als Schritttempo; ein Mittelwert über mehr als einen Augenblick zählt ab 2 km/h als Bewegung. Sie gilt nicht mehr nach einer halben Stunde Fahrt ohne eine neue Position.',
    },
  },
  receiverSpeed: {
    weight: WEIGHTS.receiverSpeed,
    freshS: 0,
    texts: {
      en: `The speed by satellite, above or below walking pace. It counts only ${SLOW_RECEIVER_WEIGHT} from there to ${INVENTED_KMH} km/h.`,
      de: `Die Geschwindigkeit nach Satelliten: mehr oder weniger als Schritttempo. Sie zählt von da bis ${INVENTED_KMH} km/h nur ${SLOW_RECEIVER_WEIGHT}.`,
    },
  },
  unmovedFix: {
    weight: WEIGHTS.unmovedFix,
    freshS: rules.UNMOVED_MS / 1000,
    texts: {
      en: 'Positions that stayed around one place for a minute: the car stands. They never say that it drives.',
      de: 'Positionen, die eine Minute lang um einen Ort blieben: das Fahrzeug steht. Dass es fährt, sagen sie nie.',
    },
  },
  stillOdometer: {
    weight: WEIGHTS.stillOdometer,
    freshS: 0,
    texts: {
      en: 'An odometer that shows less than whole kilometres and has stood for five minutes: the car stands, whatever one speed alone says.',
      de: 'Ein Kilometerzähler, der mehr als ganze Kilometer zeigt und seit fünf Minuten steht: das Fahrzeug steht, was auch eine einzelne Geschwindigkeit sagt.',
    },
  },
  isMoving: {
    weight: WEIGHTS.isMoving,
    freshS: undefined,
    texts: {
      en: 'The motion sensor of the device (IS_MOVING). That it moves holds until the sensor says otherwise, or until a gap without data.',
      de: 'Der Bewegungssensor des Geräts (IS_MOVING). Dass es sich bewegt, gilt, bis er etwas anderes sagt oder Messwerte ausbleiben.',
    },
  },
  droveOn: {
    weight: undefined,
    freshS: rules.DISPLACEMENT_HOLDS_MS / 1000,
    texts: {
      en: 'Positions or odometer that show that the car drove on since they last told. They decide where the others say nothing, or are even.',
      de: 'Positionen oder Kilometerzähler, die zeigen, dass das Fahrzeug seit ihrer letzten Angabe weiterfuhr. Sie entscheiden, wo die anderen nichts sagen oder sich aufheben.',
    },
  },
}

/** The sources of evidence, and what each stated when the start of the trip was detected. */
export function evidenceOf(stated: StatedEvidence, language: Language): Evidence[] {
  return (Object.keys(SOURCE_WORDS) as EvidenceSource[]).map(source => {
    const { weight, freshS, texts } = SOURCES[source]
    const said = stated.get(source)
    return {
      witness: SOURCE_WORDS[source],
      weight: weight ?? null,
      freshSeconds: freshS ?? null,
      description: texts[language],
      saidAtBegin: said === undefined ? null : said ? 'DRIVES' : 'STANDS',
    }
  })
}
