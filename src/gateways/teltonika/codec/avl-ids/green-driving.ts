/** AVL 253: what kind of harsh driving it was. */
const ACCELERATION = 1
const BRAKING = 2
const CORNERING = 3

const STANDARD_GRAVITY_MPS2 = 9.80665

/**
 * AVL 254 is the acceleration or braking in hundredths of g.
 * @returns m/s², rounded to hundredths: finer than the resolution of the device
 */
function mps2OfHundredthsG(hundredthsG: number): number {
  return Math.round(hundredthsG * STANDARD_GRAVITY_MPS2) / 100
}

export function harshAcceleration([kind = 0, hundredthsG = 0]: readonly number[]): number | undefined {
  return kind === ACCELERATION ? mps2OfHundredthsG(hundredthsG) : undefined
}

export function harshBraking([kind = 0, hundredthsG = 0]: readonly number[]): number | undefined {
  return kind === BRAKING ? mps2OfHundredthsG(hundredthsG) : undefined
}

/** The device does not tell left from right, and its unit depends on its settings (g or rad/s): only the fact is kept. */
export function harshCornering([kind = 0]: readonly number[]): number | undefined {
  return kind === CORNERING ? 1 : undefined
}

/** The inverse of the above. @returns the raw values of AVL 253 and 254 */
export function greenDriving(kind: 'acceleration' | 'braking' | 'cornering', mps2: number): readonly [number, number] {
  const hundredthsG = Math.min(255, Math.max(0, Math.round((mps2 * 100) / STANDARD_GRAVITY_MPS2)))
  return [{ acceleration: ACCELERATION, braking: BRAKING, cornering: CORNERING }[kind], hundredthsG]
}
