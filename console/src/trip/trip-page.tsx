import { LoadingState } from '../states/loading-state.tsx'

export function TripPage() {
  return <LoadingState />
}
