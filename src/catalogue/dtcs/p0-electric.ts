import * as f from './fault-kinds.ts'
import { of, type Row, type Text } from './text.ts'

const coolant: Text = [
  'Motor electronics coolant temperature sensor',
  'Kühlmitteltemperatursensor der Leistungselektronik',
]
const motorTemperature: Text = ['Drive motor temperature sensor', 'Temperatursensor des Antriebsmotors']
const motorPosition: Text = ['Drive motor position sensor', 'Lagesensor des Antriebsmotors']
const batteryTemperature: Text = ['Hybrid/EV battery temperature sensor', 'Temperatursensor der Hochvoltbatterie']
const contactor: Text = ['Hybrid/EV battery contactor', 'Schütz der Hochvoltbatterie']

/** Hybrid and electric drive: P0A00 to P0AFF. */
export const ELECTRIC: readonly Row[] = [
  ['P0A00', coolant, ...f.SENSOR],
  ['P0A05', ['Motor electronics coolant pump A', 'Kühlmittelpumpe A der Leistungselektronik'], ...f.ACTUATOR],
  ['P0A08', ['DC/DC converter status', 'Zustandssignal des Gleichspannungswandlers'], ...f.SWITCH],
  ['P0A11', ['DC/DC converter enable', 'Freigabe des Gleichspannungswandlers'], f.open, f.low, f.high],
  ['P0A14', ['Engine mount control A', 'Motorlagersteuerung A'], f.open, f.low, f.high],
  ['P0A17', ['Motor torque sensor', 'Drehmomentsensor des Motors'], ...f.SENSOR],
  ['P0A1A', ['Generator control module', 'Generatorsteuergerät'], f.malfunction],
  ['P0A1B', ['Drive motor control module A', 'Steuergerät Antriebsmotor A'], f.malfunction],
  ['P0A1C', ['Drive motor control module B', 'Steuergerät Antriebsmotor B'], f.malfunction],
  ['P0A1D', ['Hybrid powertrain control module', 'Hybridsteuergerät'], f.malfunction],
  ['P0A1F', ['Battery energy control module', 'Batteriesteuergerät'], f.malfunction],
  ['P0A22', ['Generator torque sensor', 'Drehmomentsensor des Generators'], ...f.SENSOR],
  ['P0A2A', of(motorTemperature, 'A'), ...f.SENSOR],
  ['P0A2F', ['Drive motor A', 'Antriebsmotor A'], f.overTemperature],
  ['P0A30', of(motorTemperature, 'B'), ...f.SENSOR],
  ['P0A35', ['Drive motor B', 'Antriebsmotor B'], f.overTemperature],
  ['P0A3C', ['Drive motor A inverter', 'Wechselrichter des Antriebsmotors A'], f.overTemperature],
  ['P0A3D', ['Drive motor B inverter', 'Wechselrichter des Antriebsmotors B'], f.overTemperature],
  ['P0A3E', ['Generator inverter', 'Wechselrichter des Generators'], f.overTemperature],
  ['P0A3F', of(motorPosition, 'A'), f.circuit],
  ['P0A40', of(motorPosition, 'A'), f.range, f.low, f.high, f.erratic, f.overspeed],
  ['P0A45', of(motorPosition, 'B'), f.circuit, f.range, f.low, f.high, f.erratic],
  ['P0A78', ['Drive motor A inverter', 'Wechselrichter des Antriebsmotors A'], f.performance],
  ['P0A79', ['Drive motor B inverter', 'Wechselrichter des Antriebsmotors B'], f.performance],
  ['P0A7A', ['Generator inverter', 'Wechselrichter des Generators'], f.performance],
  ['P0A7D', ['Hybrid/EV battery pack state of charge low', 'Ladezustand der Hochvoltbatterie zu niedrig']],
  ['P0A7E', ['Hybrid/EV battery pack', 'Hochvoltbatterie'], f.overTemperature],
  ['P0A7F', ['Hybrid/EV battery pack deterioration', 'Hochvoltbatterie gealtert']],
  ['P0A80', ['Replace hybrid/EV battery pack', 'Hochvoltbatterie ersetzen']],
  ['P0A81', ['Hybrid/EV battery pack cooling fan 1', 'Lüfter 1 der Hochvoltbatterie'], f.controlOpen, f.performance],
  ['P0A93', ['Inverter A cooling system', 'Kühlsystem des Wechselrichters A'], f.performance],
  ['P0A94', ['DC/DC converter', 'Gleichspannungswandler'], f.performance],
  ['P0A95', ['High voltage fuse', 'Hochvoltsicherung'], f.malfunction],
  ['P0A9B', of(batteryTemperature, 'A'), f.circuit],
  ['P0A9C', of(batteryTemperature, 'A'), f.range, f.low, f.high, f.erratic],
  ['P0AA1', of(contactor, ['positive', '(Plus)']), f.stuckClosed],
  ['P0AA2', of(contactor, ['positive', '(Plus)']), f.stuckOpen],
  ['P0AA4', of(contactor, ['negative', '(Minus)']), f.stuckClosed, f.stuckOpen],
  ['P0AA6', ['Hybrid/EV battery voltage system isolation fault', 'Isolationsfehler im Hochvoltsystem']],
  [
    'P0AC0',
    ['Hybrid/EV battery pack current sensor', 'Stromsensor der Hochvoltbatterie'],
    f.range,
    f.low,
    f.high,
    f.erratic,
  ],
  ['P0AFA', ['Hybrid/EV battery system voltage low', 'Spannung der Hochvoltbatterie zu niedrig']],
  ['P0AFB', ['Hybrid/EV battery system voltage high', 'Spannung der Hochvoltbatterie zu hoch']],
]
