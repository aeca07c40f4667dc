import { setTimeout as sleep } from 'node:timers/promises'
import type { DeviceId } from '../../src/model/sample.ts'
import type { Dongle } from '../../test/binary-suite/client.ts'
import { logInTeltonika } from '../../test/teltonika-client.ts'
import { drivingSample } from '../bench/teltonika-drive.ts'
import { writeTcpFrame } from '../teltonika-dongle/write-frame.ts'

interface Waiting {
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/** A dongle that stays connected and sends a record now and then; if it loses its connection, it reconnects. */
export class WatchedDongle {
  readonly #port: number
  readonly #imei: string
  readonly #patienceMs: number
  #client: Dongle | undefined
  #waiting: Waiting[] = []
  #step = 0

  constructor(port: number, imei: string, patienceMs: number) {
    this.#port = port
    this.#imei = imei
    this.#patienceMs = patienceMs
  }

  /** Sends a record. Settles when it is acknowledged. */
  async send(): Promise<void> {
    const client = this.#client ?? (await this.#connect())
    const sample = drivingSample(Number(this.#imei) as DeviceId, Date.now() - 1000 * this.#step, this.#step++)
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      client.write(writeTcpFrame([sample]))
    })
  }

  async close(): Promise<void> {
    await this.#client?.close()
  }

  async #connect(): Promise<Dongle> {
    const client = await logInTeltonika(this.#port, this.#imei)
    this.#client = client
    this.#waiting = []
    void this.#read(client, this.#waiting)
    return client
  }

  /** Acknowledgements come in the order of the records. */
  async #read(client: Dongle, waiting: Waiting[]): Promise<void> {
    try {
      for (;;) {
        while (waiting.length === 0 && !client.socket.readableEnded && !client.socket.destroyed) await sleep(5)
        if (waiting.length === 0) break
        const stored = await client.acknowledgement(this.#patienceMs)
        const first = waiting.shift()
        if (stored === 1) first?.resolve()
        else first?.reject(new Error(`the dongle was answered ${stored}`))
      }
    } catch (error) {
      for (const { reject } of waiting.splice(0)) reject(error as Error)
    }
    if (this.#client === client) this.#client = undefined
    await client.close()
  }
}
