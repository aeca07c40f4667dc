import * as f from './fault-kinds.ts'
import { of, type Row, type Text } from './text.ts'

const shift: Text = ['Shift solenoid', 'Schaltmagnetventil']
const pressureSolenoid: Text = ['Pressure control solenoid', 'Drucksteuerventil']
const fluidPressure: Text = ['Transmission fluid pressure sensor/switch', 'Getriebeöldrucksensor/-schalter']
const rangeSensor: Text = ['Transmission range sensor', 'Fahrstufensensor']
const fluidTemperature: Text = ['Transmission fluid temperature sensor', 'Getriebeöltemperatursensor']
const clutchPosition: Text = ['Clutch position sensor', 'Kupplungswegsensor']
const clutchSwitch: Text = ['Clutch pedal switch', 'Kupplungspedalschalter']
const clutchActuator: Text = ['Clutch actuator', 'Kupplungssteller']
const gearModule: Text = ['Gear shift module', 'Wählhebelmodul']
const gearPosition: Text = ['Gear shift position', 'Schaltstellung']
const gatePosition: Text = ['Gate select position', 'Gassenwahl']
const relay: Text = ['TCM power relay', 'Hauptrelais des Getriebesteuergeräts']
const torqueConverter: Text = ['Torque converter clutch', 'Wandlerüberbrückungskupplung']
const gear = (name: string) =>
  [`Gear ${name} incorrect ratio`, `Gang ${name}: falsches Übersetzungsverhältnis`] as const
const change = (name: string) => [`${name} shift malfunction`, `Schaltvorgang ${name} fehlerhaft`] as const

const ANY_SENSOR = [f.circuit, f.range, f.low, f.high, f.erratic] as const
const PRESSURE_SOLENOID = [f.malfunction, f.performanceOrOff, f.stuckOn, f.electrical, f.intermittent] as const

/** Transmission: P0700 to P0999. */
export const TRANSMISSION: readonly Row[] = [
  ['P0700', ['Transmission control system (MIL request)', 'Getriebesteuerung (fordert Motorkontrollleuchte an)']],
  ['P0701', ['Transmission control system range/performance', 'Getriebesteuerung arbeitet nicht richtig']],
  ['P0702', ['Transmission control system', 'Getriebesteuerung'], f.electrical],
  ['P0703', ['Brake switch B', 'Bremslichtschalter B'], f.circuit],
  ['P0704', ['Clutch switch input', 'Kupplungsschalter'], f.circuit],
  ['P0705', of(rangeSensor, 'A'), ...ANY_SENSOR],
  ['P0710', of(fluidTemperature, 'A'), ...ANY_SENSOR],
  ['P0715', ['Input/turbine shaft speed sensor A', 'Drehzahlsensor A der Eingangs-/Turbinenwelle'], ...f.SPEED_SENSOR],
  ['P0719', ['Brake switch B', 'Bremslichtschalter B'], f.low],
  ['P0720', ['Output shaft speed sensor', 'Drehzahlsensor der Getriebeausgangswelle'], ...f.SPEED_SENSOR],
  ['P0724', ['Brake switch B', 'Bremslichtschalter B'], f.high],
  ['P0725', ['Engine speed input', 'Eingang Motordrehzahl'], ...f.SPEED_SENSOR],
  ['P0729', gear('6')],
  ['P0730', ['Incorrect gear ratio', 'Falsches Übersetzungsverhältnis']],
  ...['1', '2', '3', '4', '5'].map((name): Row => [`P073${name}`, gear(name)]),
  ['P0736', ['Reverse incorrect ratio', 'Rückwärtsgang: falsches Übersetzungsverhältnis']],
  ['P0737', ['TCM engine speed output', 'Drehzahlausgang des Getriebesteuergeräts'], ...f.SWITCH],
  ['P0740', torqueConverter, f.open, f.performanceOrOff, f.stuckOn, f.electrical, f.erratic],
  ['P0745', of(pressureSolenoid, 'A'), ...PRESSURE_SOLENOID],
  ['P0750', of(shift, 'A'), ...f.SOLENOID],
  ['P0755', of(shift, 'B'), ...f.SOLENOID],
  ['P0760', of(shift, 'C'), ...f.SOLENOID],
  ['P0765', of(shift, 'D'), ...f.SOLENOID],
  ['P0770', of(shift, 'E'), ...f.SOLENOID],
  ['P0775', of(pressureSolenoid, 'B'), ...PRESSURE_SOLENOID],
  ['P0780', ['Shift error', 'Fehler beim Schalten']],
  ['P0781', change('1-2')],
  ['P0782', change('2-3')],
  ['P0783', change('3-4')],
  ['P0784', change('4-5')],
  [
    'P0785',
    ['Shift timing solenoid', 'Magnetventil für Schaltzeitpunkt'],
    f.malfunction,
    f.range,
    f.low,
    f.high,
    f.intermittent,
  ],
  ['P0790', ['Normal/performance switch', 'Fahrprogrammschalter'], f.circuit],
  ['P0791', ['Intermediate shaft speed sensor A', 'Drehzahlsensor A der Zwischenwelle'], ...f.SPEED_SENSOR],
  ['P0795', of(pressureSolenoid, 'C'), ...PRESSURE_SOLENOID],
  ['P0800', ['Transfer case control system (MIL request)', 'Verteilergetriebe (fordert Motorkontrollleuchte an)']],
  ['P0801', ['Reverse inhibit', 'Rückwärtsgangsperre'], f.control],
  ['P0802', ['Transmission MIL request', 'Anforderung der Motorkontrollleuchte durch das Getriebe'], f.open],
  ['P0803', ['Upshift/skip shift solenoid', 'Magnetventil für Hochschalten'], f.control],
  ['P0804', ['Upshift/skip shift lamp', 'Schaltanzeigeleuchte'], f.control],
  ['P0805', clutchPosition, ...ANY_SENSOR],
  ['P0810', ['Clutch position control error', 'Fehler in der Kupplungsregelung']],
  ['P0811', ['Excessive clutch A slippage', 'Kupplung A rutscht übermäßig']],
  ['P0812', ['Reverse input', 'Eingang Rückwärtsgang'], f.circuit],
  ['P0813', ['Reverse output', 'Ausgang Rückwärtsgang'], f.circuit],
  ['P0814', ['Transmission range display', 'Fahrstufenanzeige'], f.circuit],
  ['P0815', ['Upshift switch', 'Schalter Hochschalten'], f.circuit],
  ['P0816', ['Downshift switch', 'Schalter Herunterschalten'], f.circuit],
  ['P0817', ['Starter disable', 'Anlasssperre'], f.circuit],
  ['P0818', ['Driveline disconnect switch', 'Trennschalter des Antriebsstrangs'], f.circuit],
  ['P0819', ['Up/down shift switch to transmission range', 'Schaltwippen und Fahrstufe'], f.correlation],
  ['P0820', ['Gear lever X-Y position sensor', 'X-Y-Positionssensor des Wählhebels'], f.circuit],
  ['P0821', ['Gear lever X position', 'X-Position des Wählhebels'], f.circuit],
  ['P0822', ['Gear lever Y position', 'Y-Position des Wählhebels'], f.circuit],
  ['P0823', ['Gear lever X position', 'X-Position des Wählhebels'], f.erratic],
  ['P0824', ['Gear lever Y position', 'Y-Position des Wählhebels'], f.erratic],
  ['P0825', ['Gear lever push-pull switch', 'Druck-Zug-Schalter des Wählhebels'], f.circuit],
  ['P0826', ['Up and down shift switch', 'Schalter zum Hoch- und Herunterschalten'], ...f.SWITCH],
  ['P0829', change('5-6')],
  ['P0830', of(clutchSwitch, 'A'), ...f.SWITCH],
  ['P0833', of(clutchSwitch, 'B'), ...f.SWITCH],
  ['P0836', ['Four wheel drive switch', 'Allradschalter'], f.circuit, f.range, f.low, f.high],
  ['P0840', of(fluidPressure, 'A'), ...ANY_SENSOR],
  ['P0845', of(fluidPressure, 'B'), ...ANY_SENSOR],
  ['P0850', ['Park/neutral switch', 'Park-/Neutralschalter'], ...f.SWITCH],
  ['P0853', ['Drive switch', 'Schalter Fahrstufe D'], ...f.SWITCH],
  ['P0856', ['Traction control input', 'Eingang Antriebsschlupfregelung'], f.circuit, f.range, f.low, f.high],
  ['P0860', of(gearModule, ['communication', 'Datenverbindung']), ...f.SWITCH],
  ['P0863', ['TCM communication', 'Datenverbindung des Getriebesteuergeräts'], f.circuit, f.range, f.low, f.high],
  ['P0867', ['Transmission fluid pressure', 'Getriebeöldruck fehlerhaft']],
  ['P0868', ['Transmission fluid pressure', 'Getriebeöldruck'], f.tooLow, f.tooHigh],
  ['P0870', of(fluidPressure, 'C'), ...ANY_SENSOR],
  ['P0875', of(fluidPressure, 'D'), ...ANY_SENSOR],
  ['P0880', ['TCM power input signal', 'Stromversorgung des Getriebesteuergeräts'], ...ANY_SENSOR],
  ['P0885', relay, ...f.ACTUATOR],
  ['P0888', of(relay, ['sense', '(Rückmeldung)']), f.circuit, f.range, f.low, f.high, f.erratic],
  ['P0893', ['Multiple gears engaged', 'Mehrere Gänge gleichzeitig eingelegt']],
  ['P0894', ['Transmission component slipping', 'Getriebebauteil rutscht']],
  ['P0895', ['Shift time too short', 'Schaltzeit zu kurz']],
  ['P0896', ['Shift time too long', 'Schaltzeit zu lang']],
  ['P0897', ['Transmission fluid deteriorated', 'Getriebeöl verbraucht']],
  ['P0898', ['Transmission MIL request', 'Anforderung der Motorkontrollleuchte durch das Getriebe'], f.low, f.high],
  ['P0900', clutchActuator, f.open, f.range, f.low, f.high],
  ['P0904', gatePosition, ...ANY_SENSOR],
  ['P0909', ['Gate select control error', 'Fehler in der Gassenwahl']],
  ['P0910', ['Gate select actuator', 'Gassenwahlsteller'], f.open, f.range, f.low, f.high],
  ['P0914', gearPosition, ...ANY_SENSOR],
  ['P0919', ['Gear shift position control error', 'Fehler in der Regelung der Schaltstellung']],
  ['P0920', ['Gear shift forward actuator', 'Schaltsteller vorwärts'], f.open, f.range, f.low, f.high],
  ['P0924', ['Gear shift reverse actuator', 'Schaltsteller rückwärts'], f.open, f.range, f.low, f.high],
  ['P0928', ['Gear shift lock solenoid A', 'Wählhebelsperrmagnet A'], ...f.RANGED_ACTUATOR],
  ['P0932', ['Hydraulic pressure sensor', 'Hydraulikdrucksensor'], ...ANY_SENSOR],
  ['P0937', ['Hydraulic oil temperature sensor', 'Hydrauliköltemperatursensor'], ...ANY_SENSOR],
  ['P0942', ['Hydraulic pressure unit', 'Hydraulikdruckeinheit'], f.malfunction],
  ['P0943', ['Hydraulic pressure unit cycling period too short', 'Hydraulikdruckeinheit: Nachladeabstand zu kurz']],
  ['P0944', ['Hydraulic pressure unit loss of pressure', 'Hydraulikdruckeinheit: Druckverlust']],
  ['P0945', ['Hydraulic pump relay', 'Relais der Hydraulikpumpe'], f.open, f.range, f.low, f.high],
  [
    'P0949',
    [
      'Auto shift manual adaptive learning not complete',
      'Automatisiertes Schaltgetriebe: Anlernen nicht abgeschlossen',
    ],
  ],
  [
    'P0950',
    ['Auto shift manual', 'Automatisiertes Schaltgetriebe'],
    f.control,
    f.controlRange,
    f.controlLow,
    f.controlHigh,
  ],
  ['P0954', ['Auto shift manual', 'Automatisiertes Schaltgetriebe'], f.erratic],
  ['P0955', ['Auto shift manual mode', 'Betriebsart des automatisierten Schaltgetriebes'], ...ANY_SENSOR],
  ...['A', 'B', 'C'].map((name, i): Row => [`P09${60 + 4 * i}`, of(pressureSolenoid, name), ...f.RANGED_ACTUATOR]),
  ...['A', 'B', 'C', 'D', 'E'].map(
    (name, i): Row => [`P09${72 + 3 * i}`, of(shift, name), f.controlRange, f.controlLow, f.controlHigh],
  ),
  ['P0987', of(fluidPressure, 'E'), ...ANY_SENSOR],
  ['P0992', of(fluidPressure, 'F'), ...ANY_SENSOR],
  ['P0997', of(shift, 'F'), f.controlRange, f.controlLow, f.controlHigh],
]
