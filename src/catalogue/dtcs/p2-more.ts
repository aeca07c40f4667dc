import * as p from './engine-parts.ts'
import * as f from './fault-kinds.ts'
import { at, bank, of, perCylinder, type Row, sensor, type Text } from './text.ts'

const stop = (limit: 'minimum' | 'maximum', letter: string): Text => [
  `Throttle/pedal position sensor ${letter} ${limit} stop performance`,
  `Drosselklappen-/Pedalwertgeber ${letter}: ${limit === 'minimum' ? 'unterer' : 'oberer'} Anschlag unplausibel`,
]
const shortedToHeater = (place: Text): Text => [
  `Oxygen sensor signal shorted to heater ${place[0]}`,
  `Lambdasonde ${place[1]}: Signal mit Heizung kurzgeschlossen`,
]
const shift: Text = ['Shift solenoid', 'Schaltmagnetventil']
const pressureSolenoid: Text = ['Pressure control solenoid', 'Drucksteuerventil']
const converter: Text = [
  'Torque converter clutch pressure control solenoid',
  'Drucksteuerventil der Wandlerüberbrückung',
]
const icp: Text = ['Injector control pressure sensor', 'Sensor des Einspritzsteuerdrucks']
const icpValue: Text = ['Injector control pressure', 'Einspritzsteuerdruck']
const primary: Text = ['Ignition coil primary', 'Zündspule, Primärkreis']
const secondary: Text = ['Ignition coil secondary', 'Zündspule, Sekundärkreis']
const pumpingTrim: Text = ['Oxygen sensor pumping current trim', 'Pumpstromabgleich der Lambdasonde']
const coolantLevel: Text = ['Engine coolant level sensor/switch', 'Kühlmittelstandsensor/-schalter']
const torqueRequest: Text = ['Torque management request input signal', 'Eingang Momentenanforderung']
const scrPreCatalyst: Text = ['SCR NOx pre-catalyst', 'SCR-Vorkatalysator']
const applyTime: Text = [
  'Transmission friction element apply time range/performance',
  'Schließzeit auffällig: Schaltelement',
]
const coils = [
  ['G', '2318', '2320'],
  ['H', '2321', '2323'],
  ['I', '2324', '2326'],
  ['J', '2327', '2329'],
  ['K', '2330', '2332'],
  ['L', '2333', '2335'],
] as const

/** Rarer generic codes of the P2 range: inputs and outputs, transmission, exhaust treatment. */
export const POWERTRAIN_2_MORE: readonly Row[] = [
  ['P204A', p.reductantPressure, ...f.SENSOR],
  ['P204F', ['Reductant system performance bank 1', 'Reduktionsmittelsystem Bank 1 arbeitet nicht richtig']],
  ['P208A', p.reductantPump, f.controlOpen],
  ['P20B9', of(p.reductantHeater, 'A'), f.controlOpen],
  ['P20BA', of(p.reductantHeater, 'A'), f.performance, f.controlLow, f.controlHigh],
  ['P20BD', of(p.reductantHeater, 'B'), f.controlOpen, f.performance, f.controlLow, f.controlHigh],
  ['P20C1', of(p.reductantHeater, 'C'), f.controlOpen, f.performance, f.controlLow, f.controlHigh],
  ['P20E8', ['Reductant pressure', 'Druck des Reduktionsmittels'], f.tooLow, f.tooHigh],
  ['P20EE', of(p.scr, bank(1)), f.belowThreshold],
  ['P20EF', of(scrPreCatalyst, bank(1)), f.belowThreshold],
  ['P20F2', of(p.scr, bank(2)), f.belowThreshold],
  ['P20F3', of(scrPreCatalyst, bank(2)), f.belowThreshold],
  ...['B', 'C', 'D', 'E', 'F'].map((letter, i): Row => [`P211${3 + i}`, stop('minimum', letter)]),
  ...['A', 'B', 'C', 'D', 'E', 'F'].map((letter, i): Row => [`P216${3 + i}`, stop('maximum', letter)]),
  ['P2218', of(p.noxHeater, bank(2)), ...f.ACTUATOR],
  ['P2232', shortedToHeater(of(bank(1), sensor(2)))],
  ['P2233', shortedToHeater(of(bank(1), sensor(3)))],
  ['P2234', shortedToHeater(of(bank(2), sensor(1)))],
  ['P2235', shortedToHeater(of(bank(2), sensor(2)))],
  ['P2236', shortedToHeater(of(bank(2), sensor(3)))],
  ['P2252', of(p.referenceGround, ...at(1, 1)), f.low, f.high],
  ['P2255', of(p.referenceGround, ...at(2, 1)), f.low, f.high],
  ['P2259', of(p.airInjection, 'B'), f.controlLow, f.controlHigh],
  ['P2283', icp, ...f.SENSOR],
  ['P2288', icpValue, f.tooHigh],
  ['P2290', icpValue, f.tooLow],
  ['P2291', ['Injector control pressure too low - engine cranking', 'Einspritzsteuerdruck beim Anlassen zu niedrig']],
  ...coils.flatMap(([letter, first, last]): Row[] => [
    [`P${first}`, of(primary, letter), f.low, f.high],
    [`P${last}`, of(secondary, letter), f.circuit],
  ]),
  ...perCylinder('P2336', 12, ['Above knock threshold,', 'Klopfgrenze überschritten,']),
  ['P242A', of(p.egt, ...at(1, 3)), ...f.SENSOR],
  ['P246E', of(p.egt, ...at(1, 4)), ...f.SENSOR],
  ['P2519', ['A/C request A', 'Anforderung A der Klimaanlage'], ...f.SWITCH],
  ['P2530', ['Ignition switch run position', 'Zündschalter Stellung Fahrt'], ...f.SWITCH],
  ['P2533', ['Ignition switch run/start position', 'Zündschalter Stellung Fahrt/Start'], ...f.SWITCH],
  ['P2537', ['Ignition switch accessory position', 'Zündschalter Stellung Zubehör'], f.circuit, f.low],
  ['P2539', ['Low pressure fuel system sensor', 'Drucksensor im Niederdrucksystem'], f.circuit],
  ['P2543', ['Low pressure fuel system sensor', 'Drucksensor im Niederdrucksystem'], f.erratic],
  ['P2544', of(torqueRequest, 'A'), f.circuit, f.range, f.low, f.high],
  ['P2548', of(torqueRequest, 'B'), f.circuit, f.range, f.low, f.high],
  ['P2552', ['Throttle/fuel inhibit', 'Drosselklappen-/Kraftstoffsperre'], f.circuit, f.range, f.low, f.high],
  ['P2556', coolantLevel, f.circuit, f.range, f.low, f.high],
  ['P2560', ['Engine coolant level low', 'Kühlmittelstand zu niedrig']],
  ['P2586', of(p.vanes, 'B'), ...f.SENSOR],
  ['P2614', ['Camshaft position signal output', 'Ausgang Nockenwellensignal'], f.open, f.low, f.high],
  ['P2617', ['Crankshaft position signal output', 'Ausgang Kurbelwellensignal'], f.open, f.low, f.high],
  ['P2620', ['Throttle position output', 'Ausgang Drosselklappenstellung'], f.open, f.low, f.high],
  ['P2623', ['Injector control pressure regulator', 'Regler des Einspritzsteuerdrucks'], f.open, f.low, f.high],
  ['P2626', of(pumpingTrim, ...at(1, 1)), f.open, f.low, f.high],
  ['P2629', of(pumpingTrim, ...at(2, 1)), f.open, f.low, f.high],
  ['P2632', of(p.fuelPump, 'B'), ...f.ACTUATOR],
  ...['A', 'B', 'C', 'D', 'E', 'F'].map((letter, i): Row => [`P270${i}`, of(applyTime, letter)]),
  ['P2706', of(shift, 'F'), f.malfunction],
  ['P2711', ['Unexpected mechanical gear disengagement', 'Gang unerwartet herausgesprungen']],
  ['P2713', of(pressureSolenoid, 'D'), ...f.SOLENOID],
  ['P2718', of(pressureSolenoid, 'D'), ...f.RANGED_ACTUATOR],
  ['P2722', of(pressureSolenoid, 'E'), ...f.SOLENOID],
  ['P2727', of(pressureSolenoid, 'E'), ...f.RANGED_ACTUATOR],
  ['P2731', of(pressureSolenoid, 'F'), ...f.SOLENOID],
  ['P2736', of(pressureSolenoid, 'F'), ...f.RANGED_ACTUATOR],
  ['P2740', ['Transmission fluid temperature sensor B', 'Getriebeöltemperatursensor B'], ...f.SENSOR],
  ['P2745', ['Intermediate shaft speed sensor B', 'Drehzahlsensor B der Zwischenwelle'], f.circuit, f.range],
  ['P2757', converter, ...f.SOLENOID],
  ['P2762', converter, f.controlRange, f.controlHigh, f.controlLow],
  ['P2765', ['Input/turbine shaft speed sensor B', 'Drehzahlsensor B der Eingangs-/Turbinenwelle'], ...f.SPEED_SENSOR],
]
