import { LoadingState } from '../states/loading-state.tsx'

export function MapPage() {
  return <LoadingState />
}
