import * as f from './fault-kinds.ts'
import { of, type Row, type Text } from './text.ts'

const wheelSensor: Text = ['Wheel speed sensor', 'Raddrehzahlsensor']
const supply: Text = ['Wheel speed sensor supply', 'Versorgung des Raddrehzahlsensors']
const toneWheel: Text = ['Wheel speed tone wheel', 'Geberrad des Raddrehzahlsensors']
const inlet: Text = ['Brake pressure inlet valve', 'Einlassventil des Bremsdrucks']
const outlet: Text = ['Brake pressure outlet valve', 'Auslassventil des Bremsdrucks']
const release: Text = ['Brake pressure release', 'Druckabbau der Bremse']
const tractionValve: Text = ['Traction control valve', 'Ventil der Antriebsschlupfregelung']
const pedalPosition: Text = ['Brake pedal position sensor', 'Bremspedalstellungssensor']
const brakePressure: Text = ['Brake pressure sensor', 'Bremsdrucksensor']
const steeringWheel: Text = ['Steering wheel position sensor', 'Lenkwinkelsensor']
const signal = (letter: string): Text => [`signal ${letter}`, `Signal ${letter}`]
const lamp = (en: string, de: string): Text => [`${en} warning lamp`, `Warnleuchte ${de}`]

const frontLeft: Text = ['left front', 'vorn links']
const frontRight: Text = ['right front', 'vorn rechts']
const rearLeft: Text = ['left rear', 'hinten links']
const rearRight: Text = ['right rear', 'hinten rechts']
const rear: Text = ['rear', 'hinten']

/**
 * Chassis: brakes, traction and stability control, C0001 on. Today's standard defines C0035, C0040 and C0045 differently,
 * but nearly all cars that report them mean the wheel speed sensors of its first editions.
 */
export const CHASSIS: readonly Row[] = [
  ['C0001', of(tractionValve, 'A 1'), f.malfunction],
  ['C0002', of(tractionValve, 'A 2'), f.malfunction],
  ['C0003', of(tractionValve, 'B 1'), f.malfunction],
  ['C0004', of(tractionValve, 'B 2'), f.malfunction],
  ['C0010', of(inlet, frontLeft), f.control],
  ['C0011', of(outlet, frontLeft), f.control],
  ['C0012', of(release, frontLeft), f.tooLong],
  ['C0014', of(inlet, frontRight), f.control],
  ['C0015', of(outlet, frontRight), f.control],
  ['C0016', of(release, frontRight), f.tooLong],
  ['C0018', of(inlet, rearLeft), f.control],
  ['C0019', of(outlet, rearLeft), f.control],
  ['C001A', of(release, rearLeft), f.tooLong],
  ['C001C', of(inlet, rearRight), f.control],
  ['C001D', of(outlet, rearRight), f.control],
  ['C001E', of(release, rearRight), f.tooLong],
  ['C0020', ['ABS pump motor', 'Pumpenmotor des ABS'], f.control],
  ['C0021', ['Brake booster', 'Bremskraftverstärker'], f.performance],
  ['C0022', ['Brake booster solenoid', 'Magnetventil des Bremskraftverstärkers'], f.malfunction],
  ['C0023', ['Stop lamp', 'Bremslicht'], f.control],
  ['C0030', of(toneWheel, frontLeft), f.malfunction],
  ['C0031', of(wheelSensor, frontLeft), f.circuit],
  ['C0032', of(supply, frontLeft), f.malfunction],
  ['C0033', of(toneWheel, frontRight), f.malfunction],
  ['C0034', of(wheelSensor, frontRight), f.circuit],
  ['C0035', of(wheelSensor, frontLeft), f.malfunction],
  ['C0036', of(toneWheel, rearLeft), f.malfunction],
  ['C0037', of(wheelSensor, rearLeft), f.circuit],
  ['C0038', of(supply, rearLeft), f.malfunction],
  ['C0039', of(toneWheel, rearRight), f.malfunction],
  ['C003A', of(wheelSensor, rearRight), f.circuit],
  ['C003B', of(supply, rearRight), f.malfunction],
  ['C003C', of(toneWheel, rear), f.malfunction],
  ['C003D', of(wheelSensor, rear), f.circuit],
  ['C003E', of(supply, rear), f.malfunction],
  ['C003F', ['Wheel speed sensors, direction of rotation', 'Raddrehzahlsensoren, Drehrichtung'], f.correlation],
  ['C0040', of(wheelSensor, frontRight), f.malfunction],
  ['C0041', ['Brake pedal switch B', 'Bremspedalschalter B'], f.malfunction],
  ['C0042', of(pedalPosition, 'A'), f.malfunction],
  ['C0043', of(pedalPosition, 'B'), f.malfunction],
  ['C0044', of(brakePressure, 'A'), f.malfunction],
  ['C0045', of(wheelSensor, rearLeft), f.malfunction],
  ['C0046', of(brakePressure, 'A/B'), f.correlation],
  ['C0047', ['Brake booster pressure sensor', 'Drucksensor des Bremskraftverstärkers'], f.malfunction],
  ['C0048', ['Brake booster travel sensor', 'Wegsensor des Bremskraftverstärkers'], f.malfunction],
  ['C0049', ['Brake fluid level', 'Bremsflüssigkeitsstand'], f.tooLow],
  ['C004A', ['Brake lining wear sensor', 'Bremsbelagverschleißsensor'], f.malfunction],
  ['C004B', ['Brake fluid level sensor/switch', 'Bremsflüssigkeitsstandsensor/-schalter'], f.open],
  ['C004F', ['ABS control module', 'ABS-Steuergerät'], f.overTemperature],
  ['C0050', of(wheelSensor, rearRight), f.malfunction],
  ['C0051', steeringWheel, f.malfunction],
  ['C0052', of(steeringWheel, signal('A')), f.malfunction],
  ['C0053', of(steeringWheel, signal('B')), f.malfunction],
  ['C0054', of(steeringWheel, signal('C')), f.malfunction],
  ['C0055', of(steeringWheel, signal('D')), f.malfunction],
  ['C0061', ['Lateral acceleration sensor', 'Querbeschleunigungssensor'], f.malfunction],
  ['C0062', ['Longitudinal acceleration sensor', 'Längsbeschleunigungssensor'], f.malfunction],
  ['C0063', ['Yaw rate sensor', 'Drehratensensor'], f.malfunction],
  ['C0064', ['Roll rate sensor', 'Wankratensensor'], f.malfunction],
  ['C0065', ['Vertical acceleration sensor', 'Vertikalbeschleunigungssensor'], f.malfunction],
  ['C0069', ['Yaw rate/longitudinal acceleration sensors', 'Drehraten-/Längsbeschleunigungssensoren'], f.malfunction],
  ['C006A', ['Multi-axis acceleration sensor', 'Mehrachsen-Beschleunigungssensor'], f.malfunction],
  ['C006B', ['Stability control active too long', 'Stabilitätsregelung greift zu lange ein']],
  ['C006C', ['Stability control', 'Stabilitätsregelung'], f.malfunction],
  ['C0071', ['Two/four wheel drive status input', 'Eingang Zwei-/Allradantrieb'], f.malfunction],
  ['C0072', ['Brake temperature', 'Bremsentemperatur'], f.tooHigh],
  ['C0073', ['Delivered driving torque', 'Abgegebenes Antriebsmoment'], f.malfunction],
  ['C0074', ['Requested driving torque', 'Angefordertes Antriebsmoment'], f.malfunction],
  ['C0075', ['Brake pedal position', 'Bremspedalstellung'], f.performance],
  ['C0076', ['Traction control signal', 'Signal der Antriebsschlupfregelung'], f.malfunction],
  ['C0077', ['Tire pressure', 'Reifendruck'], f.tooLow],
  ['C0078', ['Tire diameter differs', 'Reifendurchmesser weicht ab']],
  ['C0079', ['Variable effort steering', 'Servolenkung mit veränderlicher Lenkkraft'], f.malfunction],
  ['C0081', lamp('ABS', 'ABS'), f.malfunction],
  ['C0082', lamp('Brake system', 'Bremsen'), f.malfunction],
  ['C0083', lamp('Tire pressure monitor', 'Reifendrucküberwachung'), f.malfunction],
  ['C0084', lamp('Traction control active', 'Antriebsschlupfregelung aktiv'), f.malfunction],
  ['C0085', lamp('Traction control off', 'Antriebsschlupfregelung aus'), f.malfunction],
  ['C0086', lamp('Vehicle dynamics', 'Fahrdynamikregelung'), f.malfunction],
  ['C0089', ['Traction control off switch', 'Schalter Antriebsschlupfregelung aus'], f.malfunction],
  ['C008A', ['Traction control mode', 'Betriebsart der Antriebsschlupfregelung'], f.control],
]
