import { AdvancingClock } from './test-clock.ts'

/** The clock of a machine whose time of day can be set wrong. What is measured goes on as before. */
export class JumpingClock extends AdvancingClock {
  #offByMs = 0

  override wallMs(): number {
    return super.wallMs() + this.#offByMs
  }

  /** @param ms ahead of the right time; behind, when negative */
  setOff(ms: number): void {
    this.#offByMs = ms
  }
}
