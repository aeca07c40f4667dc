import type { Text } from './text.ts'

/** Kinds of faults of a part; `{}` is replaced by its name. */
export const circuit: Text = ['{} circuit', '{}: Fehler im Stromkreis']
export const open: Text = ['{} circuit open', '{}: Stromkreis unterbrochen']
export const shorted: Text = ['{} circuit shorted', '{}: Kurzschluss im Stromkreis']
export const range: Text = ['{} circuit range/performance', '{}: Signal außerhalb des Bereichs oder unplausibel']
export const low: Text = ['{} circuit low', '{}: Signal zu niedrig']
export const high: Text = ['{} circuit high', '{}: Signal zu hoch']
export const erratic: Text = ['{} circuit intermittent/erratic', '{}: Signal sporadisch oder gestört']
export const noSignal: Text = ['{} circuit no signal', '{}: kein Signal']
export const noActivity: Text = ['{} circuit no activity detected', '{}: keine Aktivität erkannt']
export const slow: Text = ['{} circuit slow response', '{}: Signal reagiert zu langsam']
export const slowToLean: Text = ['{} slow response, rich to lean', '{}: träge beim Wechsel von fett nach mager']
export const slowToRich: Text = ['{} slow response, lean to rich', '{}: träge beim Wechsel von mager nach fett']
export const delayedToLean: Text = [
  '{} delayed response, rich to lean',
  '{}: verzögert beim Wechsel von fett nach mager',
]
export const delayedToRich: Text = [
  '{} delayed response, lean to rich',
  '{}: verzögert beim Wechsel von mager nach fett',
]
export const stuckLean: Text = ['{} signal biased/stuck lean', '{}: Signal dauerhaft mager']
export const stuckRich: Text = ['{} signal biased/stuck rich', '{}: Signal dauerhaft fett']
export const control: Text = ['{} control circuit', '{}: Fehler in der Ansteuerung']
export const controlOpen: Text = ['{} control circuit/open', '{}: Ansteuerung fehlerhaft oder unterbrochen']
export const controlRange: Text = ['{} control circuit range/performance', '{}: Ansteuerung unplausibel']
export const controlLow: Text = ['{} control circuit low', '{}: Ansteuerung, Pegel zu niedrig']
export const controlHigh: Text = ['{} control circuit high', '{}: Ansteuerung, Pegel zu hoch']
export const performance: Text = ['{} performance', '{}: Funktion fehlerhaft']
export const performanceOrOff: Text = ['{} performance/stuck off', '{}: Funktion fehlerhaft oder bleibt ausgeschaltet']
export const electrical: Text = ['{} electrical', '{}: elektrischer Fehler']
export const intermittent: Text = ['{} intermittent', '{}: sporadischer Fehler']
export const malfunction: Text = ['{} malfunction', '{}: Fehlfunktion']
export const stuckOn: Text = ['{} stuck on', '{}: bleibt eingeschaltet']
export const stuckOff: Text = ['{} stuck off', '{}: bleibt ausgeschaltet']
export const stuckOpen: Text = ['{} stuck open', '{}: klemmt offen']
export const stuckClosed: Text = ['{} stuck closed', '{}: klemmt geschlossen']
export const stuck: Text = ['{} stuck', '{}: klemmt']
export const correlation: Text = ['{} correlation', '{}: Signale passen nicht zueinander']
export const detected: Text = ['{} detected', '{} erkannt']
export const tooLow: Text = ['{} too low', '{} zu niedrig']
export const tooHigh: Text = ['{} too high', '{} zu hoch']
export const tooLong: Text = ['{} takes too long', '{} dauert zu lange']
export const deployment: Text = ['{} deployment control', '{}: Fehler im Auslösekreis']
export const overTemperature: Text = ['{} over temperature', '{}: Temperatur zu hoch']
export const overspeed: Text = ['{} overspeed', '{}: Drehzahl zu hoch']
export const advanced: Text = ['{} timing over-advanced', '{}: Verstellung zu weit nach früh']
export const retarded: Text = ['{} timing over-retarded', '{}: Verstellung zu weit nach spät']
export const belowThreshold: Text = ['{} efficiency below threshold', '{}: Wirkung unter dem Grenzwert']
export const minLimit: Text = ['{} at minimum limit', '{} an der unteren Grenze']
export const maxLimit: Text = ['{} at maximum limit', '{} an der oberen Grenze']
export const learningLimit: Text = ['{} exceeded learning limit', '{}: Lerngrenze überschritten']
export const tooLean: Text = ['{} too lean', '{} zu mager']
export const tooRich: Text = ['{} too rich', '{} zu fett']
export const contribution: Text = ['{} contribution/balance', '{}: Beitrag zur Laufruhe fehlerhaft']
export const restricted: Text = ['{} restricted', '{} verengt']
export const leaking: Text = ['{} leaking', '{} undicht']
export const lostCommunication: Text = ['Lost communication with {}', 'Keine Kommunikation mit {}']
export const incompatible: Text = ['Software incompatibility with {}', 'Software nicht kompatibel: {}']
export const invalidData: Text = ['Invalid data received from {}', 'Ungültige Daten empfangen von {}']
export const busPerformance: Text = ['{} communication bus performance', '{}: Kommunikation gestört']
export const plusOpen: Text = ['{} (+) circuit open', '{}: Leitung (+) unterbrochen']
export const plusLow: Text = ['{} (+) circuit low', '{}: Leitung (+), Pegel zu niedrig']
export const plusHigh: Text = ['{} (+) circuit high', '{}: Leitung (+), Pegel zu hoch']
export const minusOpen: Text = ['{} (-) circuit open', '{}: Leitung (-) unterbrochen']
export const minusLow: Text = ['{} (-) circuit low', '{}: Leitung (-), Pegel zu niedrig']
export const minusHigh: Text = ['{} (-) circuit high', '{}: Leitung (-), Pegel zu hoch']

/** The usual order of the standards for the faults of a sensor, of an actuator and of a valve. */
export const SENSOR = [circuit, range, low, high, erratic] as const
export const SPEED_SENSOR = [circuit, range, noSignal, erratic] as const
export const ACTUATOR = [controlOpen, controlLow, controlHigh] as const
export const RANGED_ACTUATOR = [controlOpen, controlRange, controlLow, controlHigh] as const
export const SWITCH = [circuit, low, high] as const
export const LAMBDA = [circuit, low, high, slow, noActivity] as const
export const SOLENOID = [malfunction, performanceOrOff, stuckOn, electrical, intermittent] as const
