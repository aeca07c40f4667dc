import type { Route, Waypoint } from '../../simulation/route.ts'

const at = (lat: number, lon: number, limitKmh: number, stopS?: number): Waypoint =>
  stopS === undefined ? { lat, lon, limitKmh } : { lat, lon, limitKmh, stopS }

const STATION = at(48.994, 8.4005, 40)

/** Roads of Karlsruhe and around, by their junctions. A route that does not end where it starts is driven back the same way. */
export const ROUTES = {
  /** Central station, around the palace park, and back. */
  palace: [
    STATION,
    at(48.9975, 8.392, 40, 60),
    at(49.0003, 8.385, 50, 75),
    at(49.0053, 8.3945, 50, 80),
    at(49.01, 8.3858, 40, 90),
    at(49.0143, 8.3866, 60),
    at(49.018, 8.39, 70),
    at(49.0207, 8.3968, 70),
    at(49.0215, 8.404, 70),
    at(49.0208, 8.411, 70),
    at(49.019, 8.417, 60, 50),
    at(49.0135, 8.4205, 50),
    at(49.0092, 8.4175, 40, 100),
    at(49.0053, 8.4137, 50, 75),
    at(49.004, 8.4037, 40, 90),
    at(48.9985, 8.402, 40, 60),
    STATION,
  ],
  /** To Durlach along the tram, back on the southern bypass. */
  durlach: [
    STATION,
    at(49.004, 8.4037, 50, 40),
    at(49.0053, 8.4137, 50, 30),
    at(49.0092, 8.4175, 50, 45),
    at(49.0085, 8.4285, 50, 20),
    at(49.0075, 8.44, 60),
    at(49.0049, 8.4495, 60, 30),
    at(49.002, 8.4585, 50),
    at(48.999, 8.4715, 40, 90),
    at(48.994, 8.4683, 50),
    at(48.988, 8.464, 50, 25),
    at(48.977, 8.456, 60),
    at(48.9798, 8.4425, 80),
    at(48.986, 8.428, 80),
    at(48.988, 8.4155, 80),
    at(48.989, 8.406, 50, 35),
    STATION,
  ],
  /** The southern bypass to the harbour on the Rhine, back through Muehlburg. */
  harbour: [
    STATION,
    at(48.9905, 8.394, 60, 25),
    at(48.9905, 8.38, 80),
    at(48.9944, 8.3655, 80),
    at(49, 8.35, 80),
    at(49.0052, 8.3345, 60),
    at(49.011, 8.316, 50, 240),
    at(49.0129, 8.3285, 50),
    at(49.0118, 8.344, 50, 20),
    at(49.0115, 8.358, 50, 45),
    at(49.0109, 8.3665, 50),
    at(49.0105, 8.374, 50, 30),
    at(49.01, 8.3858, 50, 40),
    at(49.0053, 8.3945, 50, 30),
    at(48.9985, 8.402, 40, 20),
    STATION,
  ],
  /** From Neureut in the north to the technology park in the east. */
  neureut: [
    at(49.048, 8.383, 50),
    at(49.0405, 8.3868, 50, 25),
    at(49.033, 8.388, 70),
    at(49.0258, 8.3889, 70),
    at(49.0185, 8.3895, 70, 30),
    at(49.0215, 8.404, 70),
    at(49.019, 8.417, 60, 20),
    at(49.0178, 8.4285, 50, 25),
    at(49.0165, 8.4375, 50),
    at(49.018, 8.444, 30),
  ],
  /** From Ettlingen in the south to the harbour. */
  ettlingen: [
    at(48.9405, 8.406, 30),
    at(48.9465, 8.4078, 50, 30),
    at(48.9575, 8.408, 70),
    at(48.969, 8.4075, 50, 25),
    at(48.9785, 8.4059, 50, 20),
    at(48.989, 8.406, 80, 35),
    at(48.9905, 8.394, 80),
    at(48.9905, 8.38, 80),
    at(48.9944, 8.3655, 80),
    at(49, 8.35, 80),
    at(49.0052, 8.3345, 60),
    at(49.011, 8.316, 30),
  ],
  /** From Durlach to Bruchsal on the motorway. */
  bruchsal: [
    at(49.002, 8.4585, 50),
    at(49.011, 8.456, 50, 40),
    at(49.021, 8.462, 100),
    at(49.038, 8.4795, 120),
    at(49.057, 8.501, 120),
    at(49.0785, 8.5245, 120),
    at(49.098, 8.544, 120),
    at(49.119, 8.565, 80),
    at(49.1218, 8.5795, 50, 40),
    at(49.1243, 8.598, 30),
  ],
} as const satisfies Readonly<Record<string, Route>>

export type RouteName = keyof typeof ROUTES
