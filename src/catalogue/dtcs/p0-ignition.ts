import * as p from './engine-parts.ts'
import * as f from './fault-kinds.ts'
import { bank, of, perCylinder, type Row } from './text.ts'

/** Ignition, misfire and glow plugs: P0300 to P0399. */
export const IGNITION: readonly Row[] = [
  ['P0300', ['Random/multiple cylinder misfire', 'Verbrennungsaussetzer an mehreren Zylindern'], f.detected],
  ...perCylinder('P0301', 12, p.misfire, f.detected),
  ['P0313', ['Misfire detected with low fuel', 'Verbrennungsaussetzer bei geringem Tankinhalt erkannt']],
  [
    'P0314',
    ['Single cylinder misfire (cylinder not specified)', 'Verbrennungsaussetzer an einem unbestimmten Zylinder'],
  ],
  ['P0315', ['Crankshaft position system variation not learned', 'Abweichung des Kurbelwellensensors nicht gelernt']],
  [
    'P0316',
    [
      'Misfire detected on startup - first 1000 revolutions',
      'Verbrennungsaussetzer in den ersten 1000 Umdrehungen erkannt',
    ],
  ],
  ['P0317', ['Rough road hardware not present', 'Schlechtwegerkennung nicht vorhanden']],
  ['P0318', ['Rough road sensor A signal', 'Schlechtwegsensor A'], f.circuit],
  ['P0319', ['Rough road sensor B signal', 'Schlechtwegsensor B'], f.circuit],
  ['P0320', p.speedInput, ...f.SPEED_SENSOR],
  ['P0324', ['Knock/combustion vibration control system error', 'Fehler in der Klopfregelung']],
  ['P0325', of(p.knock, '1', bank(1)), ...f.SENSOR],
  ['P0330', of(p.knock, '2', bank(2)), ...f.SENSOR],
  ['P0335', of(p.crank, 'A'), ...f.SENSOR],
  ['P0340', of(p.cam, 'A', bank(1)), ...f.SENSOR],
  ['P0345', of(p.cam, 'A', bank(2)), ...f.SENSOR],
  ['P0350', p.coil, f.circuit],
  ...['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I'].map(
    (letter, i): Row => [`P035${i + 1}`, of(p.coil, letter), f.circuit],
  ),
  ['P0360', of(p.coil, 'J'), f.circuit],
  ['P0361', of(p.coil, 'K'), f.circuit],
  ['P0362', of(p.coil, 'L'), f.circuit],
  ['P0363', ['Misfire detected - fueling disabled', 'Verbrennungsaussetzer erkannt, Einspritzung abgeschaltet']],
  ['P0365', of(p.cam, 'B', bank(1)), ...f.SENSOR],
  ['P0370', p.timingA, f.malfunction],
  ['P0371', of(['Too many pulses,', 'Zu viele Impulse:'], p.timingA)],
  ['P0372', of(['Too few pulses,', 'Zu wenige Impulse:'], p.timingA)],
  ['P0373', p.timingA, f.intermittent, f.noSignal],
  ['P0375', p.timingB, f.malfunction],
  ['P0376', of(['Too many pulses,', 'Zu viele Impulse:'], p.timingB)],
  ['P0377', of(['Too few pulses,', 'Zu wenige Impulse:'], p.timingB)],
  ['P0378', p.timingB, f.intermittent, f.noSignal],
  ['P0380', of(p.glowHeater, 'A'), f.circuit],
  ['P0381', ['Glow plug/heater indicator', 'Vorglühkontrollleuchte'], f.circuit],
  ['P0382', of(p.glowHeater, 'B'), f.circuit],
  ['P0383', p.glowModule, f.controlLow, f.controlHigh],
  ['P0385', of(p.crank, 'B'), ...f.SENSOR],
  ['P0390', of(p.cam, 'B', bank(2)), ...f.SENSOR],
]
