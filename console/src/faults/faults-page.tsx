import { LoadingState } from '../states/loading-state.tsx'

export function FaultsPage() {
  return <LoadingState />
}
