import { ask } from '../api/request.ts'

/** What a file holds that is made here. */
export type ExportedFile = 'trips' | 'route' | 'measurements' | 'faults' | 'statistics'

/** Tells the security log of the account. The file is there already, so nothing depends on the answer. */
export function noteExport(file: ExportedFile): void {
  void ask('POST /exports', { body: { file } }).catch(() => undefined)
}
