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

/** A control unit: the code for lost communication and, where there is one, the last digits for software and for invalid data. */
type Module = readonly [name: Text, lost: string, other?: string]

const MODULES: readonly Module[] = [
  [['ECM/PCM A', 'Motorsteuergerät A'], 'U0100', '01'],
  [['TCM', 'Getriebesteuergerät'], 'U0101', '02'],
  [['transfer case control module', 'Steuergerät Verteilergetriebe'], 'U0102', '03'],
  [['gear shift control module A', 'Wählhebelsteuergerät A'], 'U0103', '04'],
  [['cruise control module', 'Steuergerät Geschwindigkeitsregelanlage'], 'U0104', '05'],
  [['fuel injector control module', 'Steuergerät Einspritzventile'], 'U0105', '06'],
  [['glow plug control module', 'Glühzeitsteuergerät'], 'U0106', '07'],
  [['throttle actuator control module', 'Drosselklappensteuergerät'], 'U0107', '08'],
  [['alternative fuel control module', 'Steuergerät Alternativkraftstoff'], 'U0108', '09'],
  [['fuel pump control module', 'Kraftstoffpumpensteuergerät'], 'U0109', '10'],
  [['drive motor control module A', 'Steuergerät Antriebsmotor A'], 'U0110', '11'],
  [['battery energy control module A', 'Batteriesteuergerät A'], 'U0111', '12'],
  [['battery energy control module B', 'Batteriesteuergerät B'], 'U0112', '13'],
  [['emissions critical control information', 'abgasrelevantem Steuergerät'], 'U0113'],
  [['four-wheel drive clutch control module', 'Steuergerät Allradkupplung'], 'U0114', '14'],
  [['ECM/PCM B', 'Motorsteuergerät B'], 'U0115'],
  [['anti-lock brake system (ABS) control module', 'ABS-Steuergerät'], 'U0121', '15'],
  [['vehicle dynamics control module', 'Fahrdynamiksteuergerät'], 'U0122', '16'],
  [['yaw rate sensor module', 'Drehratensensor'], 'U0123'],
  [['lateral acceleration sensor module', 'Querbeschleunigungssensor'], 'U0124'],
  [['multi-axis acceleration sensor module', 'Mehrachsen-Beschleunigungssensor'], 'U0125'],
  [['steering angle sensor module', 'Lenkwinkelsensor'], 'U0126', '28'],
  [['tire pressure monitor module', 'Reifendrucküberwachung'], 'U0127', '30'],
  [['park brake control module', 'Steuergerät Feststellbremse'], 'U0128', '17'],
  [['brake system control module', 'Bremsensteuergerät'], 'U0129', '18'],
  [['steering effort control module', 'Steuergerät Lenkkraftregelung'], 'U0130', '19'],
  [['power steering control module', 'Lenkhilfesteuergerät'], 'U0131', '20'],
  [['ride level control module', 'Steuergerät Niveauregelung'], 'U0132', '21'],
  [['active roll control module', 'Steuergerät Wankausgleich'], 'U0133'],
  [['power steering control module rear', 'Lenkhilfesteuergerät hinten'], 'U0134'],
  [['differential control module front', 'Steuergerät Differenzialsperre vorn'], 'U0135'],
  [['differential control module rear', 'Steuergerät Differenzialsperre hinten'], 'U0136'],
  [['trailer brake control module', 'Steuergerät Anhängerbremse'], 'U0137'],
  [['body control module', 'Bordnetzsteuergerät'], 'U0140', '22'],
  [['body control module A', 'Bordnetzsteuergerät A'], 'U0141', '31'],
  [['body control module B', 'Bordnetzsteuergerät B'], 'U0142'],
  [['body control module C', 'Bordnetzsteuergerät C'], 'U0143'],
  [['body control module D', 'Bordnetzsteuergerät D'], 'U0144'],
  [['body control module E', 'Bordnetzsteuergerät E'], 'U0145'],
  [['gateway A', 'Gateway-Steuergerät A'], 'U0146', '47'],
  [['gateway B', 'Gateway-Steuergerät B'], 'U0147'],
  [['gateway C', 'Gateway-Steuergerät C'], 'U0148'],
  [['gateway D', 'Gateway-Steuergerät D'], 'U0149'],
  [['gateway E', 'Gateway-Steuergerät E'], 'U0150'],
  [['restraints control module', 'Airbagsteuergerät'], 'U0151', '52'],
  [['side restraints control module left', 'Seitenairbagsteuergerät links'], 'U0152'],
  [['side restraints control module right', 'Seitenairbagsteuergerät rechts'], 'U0153'],
  [['restraints occupant classification system module', 'Sitzbelegungserkennung'], 'U0154', '55'],
  [['instrument panel cluster (IPC) control module', 'Kombiinstrument'], 'U0155', '23'],
  [['information center A', 'Informationsanzeige A'], 'U0156'],
  [['information center B', 'Informationsanzeige B'], 'U0157'],
  [['head up display', 'Head-up-Display (Frontscheibenanzeige)'], 'U0158'],
  [['parking assist control module A', 'Einparkhilfesteuergerät A'], 'U0159'],
  [['audible alert control module', 'Steuergerät Warntöne'], 'U0160'],
  [['compass module', 'Kompassmodul'], 'U0161'],
  [['navigation display module', 'Navigationsanzeige'], 'U0162'],
  [['navigation control module', 'Navigationssteuergerät'], 'U0163'],
  [['HVAC control module', 'Klimasteuergerät'], 'U0164', '24'],
  [['HVAC control module rear', 'Klimasteuergerät hinten'], 'U0165'],
  [['auxiliary heater control module', 'Zusatzheizungssteuergerät'], 'U0166', '25'],
  [['vehicle immobilizer control module', 'Steuergerät Wegfahrsperre'], 'U0167', '26'],
  [['vehicle security control module', 'Diebstahlwarnanlage'], 'U0168', '27'],
  [['sunroof control module', 'Schiebedachsteuergerät'], 'U0169'],
  [['automatic lighting control module', 'Steuergerät Lichtautomatik'], 'U0180'],
  [['headlamp leveling control module', 'Leuchtweitenregelung'], 'U0181'],
  [['lighting control module front', 'Lichtsteuergerät vorn'], 'U0182'],
  [['lighting control module rear', 'Lichtsteuergerät hinten'], 'U0183'],
  [['radio', 'Radio (Autoradio)'], 'U0184'],
  [['antenna control module', 'Antennensteuergerät'], 'U0185'],
  [['audio amplifier A', 'Audioverstärker A'], 'U0186'],
  [['television', 'Fernsehempfänger'], 'U0191'],
  [['telephone control module', 'Telefonsteuergerät'], 'U0197'],
  [['telematic control module', 'Telematiksteuergerät'], 'U0198'],
  [['door control module A', 'Türsteuergerät A'], 'U0199'],
  [['door control module B', 'Türsteuergerät B'], 'U0200'],
  [['door control module C', 'Türsteuergerät C'], 'U0201'],
  [['door control module D', 'Türsteuergerät D'], 'U0202'],
  [['door control module E', 'Türsteuergerät E'], 'U0203'],
  [['door control module F', 'Türsteuergerät F'], 'U0204'],
  [['door control module G', 'Türsteuergerät G'], 'U0205'],
  [['seat control module A', 'Sitzsteuergerät A'], 'U0208'],
  [['seat control module B', 'Sitzsteuergerät B'], 'U0209'],
  [['seat control module C', 'Sitzsteuergerät C'], 'U0210'],
  [['seat control module D', 'Sitzsteuergerät D'], 'U0211'],
  [['steering column control module', 'Lenksäulensteuergerät'], 'U0212', '29'],
  [['remote function actuation', 'Funkfernbedienung'], 'U0214'],
  [['restraints system sensor A', 'Sensor A des Rückhaltesystems'], 'U0170'],
  [['restraints system sensor B', 'Sensor B des Rückhaltesystems'], 'U0171'],
  [['restraints system sensor C', 'Sensor C des Rückhaltesystems'], 'U0172'],
  [['restraints system sensor D', 'Sensor D des Rückhaltesystems'], 'U0173'],
  [['restraints system sensor E', 'Sensor E des Rückhaltesystems'], 'U0174'],
  [['restraints system sensor F', 'Sensor F des Rückhaltesystems'], 'U0175'],
  [['restraints system sensor G', 'Sensor G des Rückhaltesystems'], 'U0176'],
  [['restraints system sensor H', 'Sensor H des Rückhaltesystems'], 'U0177'],
  [['restraints system sensor I', 'Sensor I des Rückhaltesystems'], 'U0178'],
  [['restraints system sensor J', 'Sensor J des Rückhaltesystems'], 'U0179'],
  [['door switch A', 'Türschalter A'], 'U0215'],
  [['door switch B', 'Türschalter B'], 'U0216'],
  [['door switch C', 'Türschalter C'], 'U0217'],
  [['door switch D', 'Türschalter D'], 'U0218'],
  [['door switch E', 'Türschalter E'], 'U0219'],
  [['door switch F', 'Türschalter F'], 'U0220'],
  [['door switch G', 'Türschalter G'], 'U0221'],
  [['door switch H', 'Türschalter H'], 'U0222'],
  [['digital disc player/changer module A', 'CD-Spieler/-Wechsler A'], 'U0187'],
  [['digital disc player/changer module B', 'CD-Spieler/-Wechsler B'], 'U0188'],
  [['digital disc player/changer module C', 'CD-Spieler/-Wechsler C'], 'U0189'],
  [['digital disc player/changer module D', 'CD-Spieler/-Wechsler D'], 'U0190'],
  [['rain sensor', 'Regensensor'], 'U0231'],
  [['side obstacle detection control module left', 'Totwinkelüberwachung links'], 'U0232'],
  [['side obstacle detection control module right', 'Totwinkelüberwachung rechts'], 'U0233'],
  [['cruise control front distance range sensor', 'Abstandssensor vorn'], 'U0235'],
]

const highSpeedBus: Text = ['High speed CAN', 'CAN-Bus (High-Speed)']
const mediumSpeedBus: Text = ['Medium speed CAN', 'CAN-Bus (Medium-Speed)']
const lowSpeedBus: Text = ['Low speed CAN', 'CAN-Bus (Low-Speed)']
const wires = [f.plusOpen, f.plusLow, f.plusHigh, f.minusOpen, f.minusLow, f.minusHigh] as const

const lost = (module: Module): Row => [module[1], module[0], f.lostCommunication]

const others = (module: Module): Row[] =>
  module[2] === undefined
    ? []
    : [
        [`U03${module[2]}`, module[0], f.incompatible],
        [`U04${module[2]}`, module[0], f.invalidData],
      ]

/** Network: U0001 to U0499, and U3000 to U3003. */
export const NETWORK: readonly Row[] = [
  ['U0001', highSpeedBus, f.malfunction, f.busPerformance, ...wires],
  ['U0010', mediumSpeedBus, f.malfunction, f.busPerformance, ...wires],
  ['U0019', lowSpeedBus, f.malfunction, f.busPerformance, ...wires],
  ['U0073', ['Control module communication bus A off', 'Datenbus A abgeschaltet']],
  ['U0074', ['Control module communication bus B off', 'Datenbus B abgeschaltet']],
  ['U0075', ['Control module communication bus C off', 'Datenbus C abgeschaltet']],
  ['U0076', ['Control module communication bus D off', 'Datenbus D abgeschaltet']],
  ['U0077', ['Control module communication bus E off', 'Datenbus E abgeschaltet']],
  ...MODULES.map(lost),
  ...MODULES.flatMap(others),
  ['U0300', ['Internal control module', 'internes Steuergerät'], f.incompatible],
  ['U3000', ['Control module', 'Steuergerät'], f.malfunction],
  ['U3001', ['Control module improper shutdown', 'Steuergerät nicht ordnungsgemäß abgeschaltet']],
  ['U3002', ['Vehicle identification number', 'Fahrgestellnummer'], f.malfunction],
  ['U3003', ['Battery', 'Batterie'], f.circuit],
]

const airbag = (en: string, de: string): Text => [`${en} airbag`, de]
const stage = (number: number): Text => [`stage ${number}`, `Stufe ${number}`]

const driverFrontal: Text = ['Driver frontal airbag', 'Fahrerairbag']
const passengerFrontal: Text = ['Passenger frontal airbag', 'Beifahrerairbag']
const leftCurtain = airbag('Left curtain', 'Kopfairbag links')
const rightCurtain = airbag('Right curtain', 'Kopfairbag rechts')

const left: Text = ['left', 'links']
const center: Text = ['center', 'Mitte']
const right: Text = ['right', 'rechts']
const driver: Text = ['driver', 'Fahrer']
const passenger: Text = ['passenger', 'Beifahrer']
const seatIn = (rowEn: string, rowDe: string, side: Text): Text => [`${rowEn} ${side[0]}`, `${rowDe} ${side[1]}`]
const first = (side: Text) => seatIn('first row', '1. Reihe', side)
const second = (side: Text) => seatIn('second row', '2. Reihe', side)
const third = (side: Text) => seatIn('third row', '3. Reihe', side)

/** The order in which the standard counts seats, front ones first, from left to right. */
const SEATS = [
  driver,
  first(center),
  passenger,
  second(left),
  second(center),
  second(right),
  third(left),
  third(center),
  third(right),
]

const belt: Text = ['Seat belt sensor', 'Gurtschlosssensor']
const pretensioner: Text = ['Seat belt pretensioner', 'Gurtstraffer']
const loadLimiter: Text = ['Seat belt load limiter', 'Gurtkraftbegrenzer']
const inflatable: Text = ['Inflatable seat belt', 'Airbag-Sicherheitsgurt']
const seatSide: Text = ['Side airbag', 'Seitenairbag']
const seatFrontal: Text = ['Frontal airbag', 'Frontairbag']
const leftSide: Text = ['Side impact sensor left', 'Seitenaufprallsensor links']
const rightSide: Text = ['Side impact sensor right', 'Seitenaufprallsensor rechts']
const classification: Text = ['Seat occupant classification sensor', 'Sitzbelegungssensor']
const position: Text = ['Seat occupant position sensor', 'Insassenpositionssensor']
const track: Text = ['Seat track position sensor', 'Sitzlängspositionssensor']
const recline: Text = ['Seat recline position sensor', 'Sitzlehnenpositionssensor']

/** @returns a row for each of the parts, with consecutive codes in the last two hexadecimal digits. */
function counted(firstCode: number, parts: readonly Text[], fault: Text): Row[] {
  return parts.map((part, index) => [
    `B${(firstCode + index).toString(16).toUpperCase().padStart(4, '0')}`,
    part,
    fault,
  ])
}

const onSeats = (part: Text, seats: readonly Text[], ...more: readonly string[]) =>
  seats.map(seat => of(part, ...more, seat))

const stages = (part: Text) => [1, 2, 3].map(number => of(part, stage(number)))

const LETTERS = ['A', 'B', 'C', 'D', 'E'] as const
const seatSensors = (seat: Text): Text[] => [
  ...LETTERS.map(letter => of(classification, letter, seat)),
  of(track, seat),
  of(recline, seat),
  ...LETTERS.map(letter => of(position, letter, seat)),
]

/** Restraints: airbags, belts and their sensors, B0001 to B00FF. */
export const RESTRAINTS: readonly Row[] = [
  ...counted(0x0001, stages(driverFrontal), f.deployment),
  ['B0004', ['Driver knee airbag', 'Knieairbag Fahrer'], f.deployment],
  ['B0005', ['Collapsible steering column', 'Abklappbare Lenksäule'], f.deployment],
  ...counted(0x0010, stages(passengerFrontal), f.deployment),
  ['B0013', ['Passenger knee airbag', 'Knieairbag Beifahrer'], f.deployment],
  ['B0020', airbag('Left side', 'Seitenairbag links'), f.deployment],
  ...counted(0x0021, [of(leftCurtain, '1'), of(leftCurtain, '2')], f.deployment),
  ['B0028', airbag('Right side', 'Seitenairbag rechts'), f.deployment],
  ...counted(0x0029, [of(rightCurtain, '1'), of(rightCurtain, '2')], f.deployment),
  ...counted(0x0030, [of(seatSide, second(left)), ...stages(of(seatFrontal, second(left)))], f.deployment),
  ...counted(0x0038, [of(seatSide, second(right)), ...stages(of(seatFrontal, second(right)))], f.deployment),
  ...counted(0x0040, [of(seatSide, third(left)), ...stages(of(seatFrontal, third(left)))], f.deployment),
  ...counted(0x0048, [of(seatSide, third(right)), ...stages(of(seatFrontal, third(right)))], f.deployment),
  ...counted(0x0050, onSeats(belt, SEATS), f.malfunction),
  ...counted(0x0070, onSeats(pretensioner, SEATS, 'A'), f.deployment),
  ...counted(
    0x0079,
    onSeats(pretensioner, [driver, passenger, second(left), second(right), second(center)], 'B'),
    f.deployment,
  ),
  ...counted(0x007e, onSeats(pretensioner, [driver, passenger], 'C'), f.deployment),
  ...counted(0x0080, onSeats(loadLimiter, SEATS), f.deployment),
  ['B0090', ['Frontal impact sensor left', 'Frontaufprallsensor links'], f.malfunction],
  ...counted(
    0x0091,
    [1, 2, 3].map(number => of(leftSide, String(number))),
    f.malfunction,
  ),
  ['B0094', ['Frontal impact sensor center', 'Frontaufprallsensor Mitte'], f.malfunction],
  ['B0095', ['Frontal impact sensor right', 'Frontaufprallsensor rechts'], f.malfunction],
  ...counted(
    0x0096,
    [1, 2, 3].map(number => of(rightSide, String(number))),
    f.malfunction,
  ),
  ['B0099', ['Rollover sensor', 'Überschlagsensor'], f.malfunction],
  ...counted(
    0x009a,
    [4, 5, 6].map(number => of(leftSide, String(number))),
    f.malfunction,
  ),
  ...counted(
    0x009d,
    [4, 5, 6].map(number => of(rightSide, String(number))),
    f.malfunction,
  ),
  ['B00A0', ['Occupant classification system', 'Sitzbelegungserkennung'], f.malfunction],
  ['B00A1', ['Occupant position system', 'Insassenpositionserkennung'], f.malfunction],
  ...counted(0x00b0, seatSensors(driver), f.malfunction),
  ...counted(0x00c0, seatSensors(passenger), f.malfunction),
  ['B00D0', lamp('Driver seat belt', 'Gurt Fahrer'), f.malfunction],
  ['B00D1', lamp('Passenger seat belt', 'Gurt Beifahrer'), f.malfunction],
  ['B00D2', lamp('Restraint system', 'Rückhaltesystem'), f.malfunction],
  ['B00D5', lamp('Passenger airbag off', 'Beifahrerairbag aus'), f.malfunction],
  ...counted(0x00e0, onSeats(pretensioner, [third(left), third(right), third(center)], 'B'), f.deployment),
  ...counted(0x00e3, onSeats(pretensioner, [second(left), second(right), second(center)], 'C'), f.deployment),
  ...counted(0x00f0, onSeats(inflatable, [driver, ...SEATS.slice(2)]), f.deployment),
]
