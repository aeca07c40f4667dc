import type {
  Contradiction,
  DropReason,
  Interruption,
  LengthBasis,
  LengthMeasures,
  OdometerState,
} from '../../../derive/trips/retrace.ts'
import type { ClosingRule, OpeningRule } from '../../../derive/trips/state.ts'
import type { Language } from '../../replies.ts'

export type Texts = Readonly<Record<Language, string>>

export const OPENING_TEXTS: Readonly<Record<OpeningRule, Texts>> = {
  'ignition on': { en: 'The ignition was on.', de: 'Die Zündung war an.' },
  'engine on': {
    en: 'The engine was running, and the device does not report the ignition.',
    de: 'Der Motor lief, und das Gerät meldet die Zündung nicht.',
  },
  motion: {
    en: 'The car moved; neither ignition nor engine had been reported as on.',
    de: 'Das Fahrzeug bewegte sich; weder Zündung noch Motor waren als eingeschaltet gemeldet.',
  },
  'data after a gap': {
    en: 'Measurements came again after a gap, and the car was driving, or had woken up and then drove.',
    de: 'Nach einer Lücke kamen wieder Messwerte, und das Fahrzeug fuhr, oder es war aufgewacht und fuhr dann los.',
  },
}

export const CLOSING_TEXTS: Readonly<Record<ClosingRule, Texts>> = {
  'ignition off': {
    en: 'The ignition was turned off and stayed off for longer than a pause.',
    de: 'Die Zündung wurde ausgeschaltet und blieb länger aus als eine Pause.',
  },
  'engine off': {
    en: 'The engine was turned off and stayed off for longer than a pause.',
    de: 'Der Motor wurde ausgeschaltet und blieb länger aus als eine Pause.',
  },
  'no motion': {
    en: 'The car stood for longer than at a traffic light.',
    de: 'Das Fahrzeug stand länger als an einer Ampel.',
  },
  'gap without data': {
    en: 'It was the last measurement before a gap without any, so nobody knows whether the car drove on.',
    de: 'Es war der letzte Messwert vor einer Lücke; ob das Fahrzeug weiterfuhr, ist nicht bekannt.',
  },
  unplugged: { en: 'The device was unplugged.', de: 'Das Gerät wurde abgezogen.' },
}

export const INTERRUPTION_TEXTS: Readonly<Record<Interruption['kind'], Texts>> = {
  'ignition off': { en: 'The ignition was off for a short time.', de: 'Die Zündung war kurz aus.' },
  'engine off': { en: 'The engine was off for a short time.', de: 'Der Motor war kurz aus.' },
  'no motion': { en: 'The car stood.', de: 'Das Fahrzeug stand.' },
  idle: {
    en: 'The ignition was on, and the car stood for longer than at a traffic light.',
    de: 'Die Zündung war an, und das Fahrzeug stand länger als an einer Ampel.',
  },
  'no data': { en: 'Nothing was measured.', de: 'Nichts wurde gemessen.' },
  'silence bridged': {
    en: 'Nothing was measured for so long that it would have ended the trip; but odometer or positions show that the car drove on meanwhile.',
    de: 'So lange wurde nichts gemessen, dass die Fahrt zu Ende wäre; Kilometerzähler oder Positionen zeigen aber, dass das Fahrzeug inzwischen weiterfuhr.',
  },
  'no position': { en: 'No usable position was measured.', de: 'Keine brauchbare Position wurde gemessen.' },
}

export const DROP_TEXTS: Readonly<Record<DropReason, Texts>> = {
  'impossible place': {
    en: 'At or around 0,0, or not on the earth.',
    de: 'Bei 0,0 oder nicht auf der Erde.',
  },
  'impossible jump': {
    en: 'Farther from the one before than a car can drive.',
    de: 'Weiter von der vorigen entfernt, als ein Fahrzeug fahren kann.',
  },
  elsewhere: {
    en: 'Several that agree with each other, but not with where the car drove; they were kept apart.',
    de: 'Mehrere, die zueinander passen, aber nicht dazu, wo das Fahrzeug fuhr; sie zählen nicht mit.',
  },
  'drift while standing': {
    en: 'Near the place where the car stood.',
    de: 'Nahe dem Ort, an dem das Fahrzeug stand.',
  },
}

export const BASIS_TEXTS: Readonly<Record<LengthBasis, Texts>> = {
  odometer: {
    en: 'The odometer counts: its readings cover the trip.',
    de: 'Der Kilometerzähler gilt: seine Stände decken die Fahrt ab.',
  },
  'odometer completed by positions': {
    en: 'The odometer counts where it covers the trip; positions complete the rest.',
    de: 'Der Kilometerzähler gilt, wo er die Fahrt abdeckt; Positionen ergänzen den Rest.',
  },
  'positions, no odometer': {
    en: 'Positions count: the odometer was not read.',
    de: 'Die Positionen gelten: der Kilometerzähler wurde nicht gelesen.',
  },
  'positions, odometer unchanged': {
    en: 'Positions count: the odometer showed the same all the time.',
    de: 'Die Positionen gelten: der Kilometerzähler zeigte immer dasselbe.',
  },
  'positions, odometer doubted': {
    en: 'Positions count: over the trips before and this one, the odometer counted far too much or too little.',
    de: 'Die Positionen gelten: der Kilometerzähler zählte über diese und frühere Fahrten viel zu viel oder zu wenig.',
  },
  'speed over time': {
    en: 'The speed over time counts: there was neither a position nor an odometer that moved.',
    de: 'Die Geschwindigkeit über der Zeit gilt: es gab weder Positionen noch einen Kilometerzähler, der weiterging.',
  },
  'nothing measured': {
    en: 'Neither odometer nor positions were read.',
    de: 'Weder Kilometerzähler noch Positionen wurden gelesen.',
  },
}

export const MEASURE_TEXTS: Readonly<Record<keyof LengthMeasures, Texts>> = {
  odometer: { en: 'The odometer of the car.', de: 'Der Kilometerzähler des Fahrzeugs.' },
  positions: {
    en: 'Positions, with the bends of roads between them and the speed where it was told.',
    de: 'Positionen, mit den Kurven der Straßen dazwischen und der Geschwindigkeit, wo sie gemeldet wurde.',
  },
  speed: {
    en: 'Speed over time alone, for as long as it was told.',
    de: 'Allein die Geschwindigkeit über der Zeit, solange sie gemeldet wurde.',
  },
}

export const ODOMETER_TEXTS: Readonly<Record<OdometerState, Texts>> = {
  kilometres: { en: 'It counts kilometres.', de: 'Er zählt Kilometer.' },
  miles: { en: 'It counts miles, as positions show.', de: 'Er zählt Meilen, wie die Positionen zeigen.' },
  doubted: {
    en: 'It counts far too much or too little and is not believed.',
    de: 'Er zählt viel zu viel oder zu wenig, und ihm wird nicht geglaubt.',
  },
  jumped: {
    en: 'It leapt or went backwards in this trip.',
    de: 'Er sprang in dieser Fahrt oder lief rückwärts.',
  },
}

export const CONTRADICTION_TEXTS: Readonly<Record<Contradiction, Texts>> = {
  'speed against positions': {
    en: 'The speed says much more or less than the way from position to position; there, positions count.',
    de: 'Die Geschwindigkeit sagt viel mehr oder weniger als der Weg von Position zu Position; dort gelten die Positionen.',
  },
  'speed of another unit': {
    en: 'The speed was too small or too large by one factor in all trips before, and is corrected by it.',
    de: 'Die Geschwindigkeit war in allen Fahrten davor um denselben Faktor zu klein oder zu groß und wird damit berichtigt.',
  },
  'odometer against positions': {
    en: 'The odometer says much more or less than positions and speed; it does not count.',
    de: 'Der Kilometerzähler sagt viel mehr oder weniger als Positionen und Geschwindigkeit; er zählt nicht.',
  },
}

export type Remark =
  | 'merged'
  | 'vanished'
  | 'superseded'
  | 'pending'
  | 'samples gone'
  | 'different'
  | 'silent'
  | 'moved'
  | 'cut'
  | 'ignition doubted'

export const REMARK_TEXTS: Readonly<Record<Remark, Texts>> = {
  merged: {
    en: 'Late measurements changed what is known of its time, which the trips in `coveredBy` cover now.',
    de: 'Späte Messwerte änderten, was von ihrer Zeit bekannt ist; die Fahrten in `coveredBy` decken sie nun ab.',
  },
  vanished: {
    en: 'Late measurements showed that there was no trip.',
    de: 'Späte Messwerte zeigten, dass es keine Fahrt gab.',
  },
  superseded: {
    en: 'Another device in the car measured this drive, too, and better: the trip in `coveredBy` counts in its place.',
    de: 'Ein anderes Gerät im Fahrzeug maß diese Fahrt ebenfalls, und besser: an ihrer Stelle zählt die Fahrt in `coveredBy`.',
  },
  pending: {
    en: 'Late measurements of this time wait to be worked in; ask again in a few seconds.',
    de: 'Späte Messwerte dieser Zeit sind noch nicht eingearbeitet; fragen Sie in einigen Sekunden noch einmal.',
  },
  'samples gone': {
    en: 'The measurements of this trip are no longer all kept.',
    de: 'Die Messwerte dieser Fahrt sind nicht mehr alle vorhanden.',
  },
  different: {
    en: 'The measurements tell another trip than the one that is stored; `tacho rebuild` puts it right.',
    de: 'Die Messwerte ergeben eine andere Fahrt als die gespeicherte; `tacho rebuild` berichtigt sie.',
  },
  silent: {
    en: 'It has not ended for certain: it goes on if later measurements say so.',
    de: 'Sie ist nicht sicher zu Ende: sie geht weiter, wenn spätere Messwerte das ergeben.',
  },
  moved: {
    en: 'The device was put into another car, and what it measured from then on belongs to that one.',
    de: 'Das Gerät kam in ein anderes Fahrzeug, und was es von da an maß, gehört zu diesem.',
  },
  'ignition doubted': {
    en: 'The ignition was on for an hour without motion, as if it were wired to permanent current; until it is off again, motion alone tells.',
    de: 'Die Zündung war eine Stunde lang ohne Bewegung an, als hinge sie an Dauerplus; bis sie wieder aus ist, gilt allein die Bewegung.',
  },
  cut: {
    en: 'Only the first interruptions are listed.',
    de: 'Nur die ersten Unterbrechungen sind aufgeführt.',
  },
}
