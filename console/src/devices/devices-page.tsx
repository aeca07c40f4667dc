import { LoadingState } from '../states/loading-state.tsx'

export function DevicesPage() {
  return <LoadingState />
}
