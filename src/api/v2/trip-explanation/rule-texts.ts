import type * as rules from '../../../derive/trips/rules.ts'
import type { Texts } from './texts.ts'

/**
 * What each parameter of the rules of trips is for: one row for each, which the compiler sees to. Explanations have them
 * in this order.
 */
export const RULE_TEXTS: Readonly<Record<keyof typeof rules, Texts>> = {
  IGNITION_PAUSE_MS: {
    en: 'Ignition or engine off for less does not end a trip.',
    de: 'Sind Zündung oder Motor kürzer aus, endet die Fahrt nicht.',
  },
  DATA_GAP_MS: {
    en: 'Without measurements for so long, a trip has ended with the last one.',
    de: 'Nach so langer Zeit ohne Messwerte endete die Fahrt mit dem letzten.',
  },
  MOTION_PAUSE_MS: {
    en: 'Where neither ignition nor engine is reported: without motion for so long, a trip has ended.',
    de: 'Wo weder Zündung noch Motor gemeldet werden: nach so langem Stillstand ist eine Fahrt zu Ende.',
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
    de: 'Was nur mit Bewegung begann, ist eine Fahrt, sobald das Auto so weit kam.',
  },
  UNPROVEN_PAUSE_MS: {
    en: 'Motion that got less far is forgotten after standing for so long.',
    de: 'Bewegung, die nicht so weit kam, wird nach so langem Stillstand vergessen.',
  },
  UNPROVEN_MS: {
    en: 'Motion that got less far is forgotten after so long altogether.',
    de: 'Bewegung, die nicht so weit kam, wird nach insgesamt so langer Zeit vergessen.',
  },
  WORD_FORGOTTEN_AFTER_DAYS: {
    en: 'After so many days with data but without ignition or engine, their last report no longer counts.',
    de: 'Nach so vielen Tagen mit Daten, aber ohne Zündung oder Motor, gilt deren letzte Meldung nicht mehr.',
  },
  NULL_ISLAND_DEG: {
    en: 'Positions this close to 0,0 are errors of the receiver.',
    de: 'Positionen so nahe an 0,0 sind Fehler des Empfängers.',
  },
  FASTEST_M_PER_MS: {
    en: 'No car is faster: a jump beyond it is not believed.',
    de: 'Kein Auto ist schneller; ein Sprung, der darüber liegt, wird nicht geglaubt.',
  },
  FASTEST_KMH: {
    en: 'No car is faster: what says so is an error.',
    de: 'Kein Auto ist schneller; eine solche Angabe ist ein Fehler.',
  },
  FIX_ERROR_M: {
    en: 'By how much two positions may be wrong together.',
    de: 'Um so viel dürfen zwei Positionen zusammen falsch sein.',
  },
  REPEATED_FIX_MS: {
    en: 'How old a position may be that a receiver repeats.',
    de: 'So alt darf eine Position sein, die ein Empfänger wiederholt.',
  },
  AGREEING_FIXES: {
    en: 'So many positions in a row that agree with each other are the new place after a jump.',
    de: 'So viele Positionen nacheinander, die zueinander passen, sind nach einem Sprung der neue Ort.',
  },
  AGREEING_MS: {
    en: 'Positions that agree for so long are the new place after a jump.',
    de: 'Positionen, die so lange zueinander passen, sind nach einem Sprung der neue Ort.',
  },
  STEP_M: {
    en: 'The distance by positions is counted in steps of at least this.',
    de: 'Die Strecke nach Positionen wird in Schritten von mindestens dieser Länge gezählt.',
  },
  STANDSTILL_KMH: { en: 'At this speed or less, a car stands.', de: 'Bis zu dieser Geschwindigkeit steht ein Auto.' },
  STANDSTILL_DRIFT_M: {
    en: 'While the car stands, positions this near are drift and add nothing.',
    de: 'Solange das Auto steht, sind so nahe Positionen Drift und zählen nicht.',
  },
  MOST_ODOMETER_KM: {
    en: 'No car drives farther in its life: a greater reading of the odometer is none.',
    de: 'Kein Auto fährt je weiter: ein höherer Kilometerstand ist keiner.',
  },
  COARSEST_STEP_M: {
    en: 'What an odometer may move at once when it shows only every so many metres.',
    de: 'So viel darf ein Kilometerzähler auf einmal weitergehen, der nur grob anzeigt.',
  },
  STUCK_ODOMETER_M: {
    en: 'An odometer that showed the same over so many metres is stuck.',
    de: 'Ein Kilometerzähler, der über so viele Meter dasselbe zeigte, steht.',
  },
  BLIND_MS: {
    en: 'Driving for so long without a position, the distance follows from the speed of the car (tunnel, garage).',
    de: 'Fährt das Auto so lange ohne Position, folgt die Strecke aus seiner Geschwindigkeit (Tunnel, Garage).',
  },
  SPEED_READING_MS: {
    en: 'Two readings of speed farther apart say nothing of what was between.',
    de: 'Zwei Geschwindigkeiten, die weiter auseinander liegen, sagen nichts über die Zeit dazwischen.',
  },
  START_FIX_MS: {
    en: 'A first position so soon after the begin is where the trip began.',
    de: 'Eine erste Position so bald nach dem Beginn ist der Ort des Beginns.',
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
