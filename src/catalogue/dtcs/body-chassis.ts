import * as f from './fault-kinds.ts'
import { of, type Row, type Text } from './text.ts'

const wheel: Text = ['Wheel speed sensor', 'Raddrehzahlsensor']
const inlet: Text = ['Brake pressure inlet valve', 'Einlassventil des Bremsdrucks']
const outlet: Text = ['Brake pressure outlet valve', 'Auslassventil des Bremsdrucks']
const frontLeft: Text = ['left front', 'vorn links']
const frontRight: Text = ['right front', 'vorn rechts']
const rearLeft: Text = ['left rear', 'hinten links']
const rearRight: Text = ['right rear', 'hinten rechts']
const deploy = (en: string, de: string): Text => [`${en} deployment control`, `Auslösekreis ${de}`]

/** Chassis: brakes and steering, C0010 on. */
export const CHASSIS: readonly Row[] = [
  ['C0010', of(inlet, frontLeft), f.control],
  ['C0011', of(outlet, frontLeft), f.control],
  ['C0014', of(inlet, frontRight), f.control],
  ['C0015', of(outlet, frontRight), f.control],
  ['C0018', of(inlet, rearLeft), f.control],
  ['C0019', of(outlet, rearLeft), f.control],
  ['C001C', of(inlet, rearRight), f.control],
  ['C001D', of(outlet, rearRight), f.control],
  ['C0020', ['ABS pump motor', 'Pumpenmotor des ABS'], f.control],
  ['C0035', of(wheel, frontLeft), f.malfunction],
  ['C0040', of(wheel, frontRight), f.malfunction],
  ['C0045', of(wheel, rearLeft), f.malfunction],
  ['C0050', of(wheel, rearRight), f.malfunction],
]

/** Body: restraints, B0001 on. */
export const BODY: readonly Row[] = [
  ['B0001', deploy('Driver frontal stage 1', 'Fahrerairbag Stufe 1')],
  ['B0002', deploy('Driver frontal stage 2', 'Fahrerairbag Stufe 2')],
  ['B0003', deploy('Driver frontal stage 3', 'Fahrerairbag Stufe 3')],
  ['B0005', ['Collapsible steering column deployment control', 'Auslösekreis abklappbare Lenksäule']],
  ['B0010', deploy('Passenger frontal stage 1', 'Beifahrerairbag Stufe 1')],
  ['B0011', deploy('Passenger frontal stage 2', 'Beifahrerairbag Stufe 2')],
  ['B0012', deploy('Passenger frontal stage 3', 'Beifahrerairbag Stufe 3')],
  ['B0020', deploy('Left side airbag', 'Seitenairbag links')],
  ['B0028', deploy('Right side airbag', 'Seitenairbag rechts')],
]
