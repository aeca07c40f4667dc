import type { Lab } from '../src/cli/lab.ts'
import { FIRM_AREAS, FIRM_CARS, firmRules } from './demo-firm.ts'
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
    demoFleet().map(({ dongle: { deviceId }, cars: [{ plate, model }] }, i) => ({
      deviceId,
      plate,
      make: model.make,
      model: model.name,
      group: FIRM_CARS[i]?.group ?? '',
    })),
  demoAreas: FIRM_AREAS,
  demoRules: firmRules,
}
