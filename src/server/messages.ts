/** What a child process tells its supervisor. */
export type ChildMessage =
  | { readonly type: 'listening'; readonly port: number }
  /** It is running, and does not listen. */
  | { readonly type: 'working' }
  /** A heartbeat: its event loop is not blocked. A child that never sends one is not expected to. */
  | { readonly type: 'alive' }
  /** It can not start: a sentence for the operator; `passing` when a retry may succeed. */
  | { readonly type: 'refused'; readonly sentence: string; readonly passing: boolean }

/** What the supervisor tells the api process: where the intake listens, or that it does not at the moment. */
export interface IntakeMessage {
  readonly type: 'intake'
  readonly url?: string
}

export function isIntakeMessage(message: unknown): message is IntakeMessage {
  return typeof message === 'object' && message !== null && 'type' in message && message.type === 'intake'
}

/** Whether this process was started by a supervisor, alive or not. */
export const isSupervised = (): boolean => process.send !== undefined
