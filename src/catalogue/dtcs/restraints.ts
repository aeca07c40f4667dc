import * as f from './fault-kinds.ts'
import { of, type Row, type Text } from './text.ts'

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
const lamp = (en: string, de: string): Text => [`${en} warning lamp`, `Warnleuchte ${de}`]

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
