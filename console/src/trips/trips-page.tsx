import { LoadingState } from '../states/loading-state.tsx'

export function TripsPage() {
  return <LoadingState />
}
