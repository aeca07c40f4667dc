import type { Lab } from '../src/cli/lab.ts'
import { demoFleet, registerDemoFleet } from './demo-fleet.ts'
import { registerScore } from './score/command.ts'
import { registerSimulate } from './simulate/command.ts'
import { registerReplay } from './ved/command.ts'

/** The only entry for the program: it loads this file by its path, where it is there. */
export const lab: Lab = {
  commands: {
    replay: registerReplay,
    simulate: registerSimulate,
    score: registerScore,
    'demo-fleet': registerDemoFleet,
  },
  demoDongles: () =>
    demoFleet().map(({ dongle: { deviceId }, cars: [{ plate, model }] }) => ({
      deviceId,
      plate,
      make: model.make,
      model: model.name,
    })),
}
