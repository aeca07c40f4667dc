import { LoadingState } from '../states/loading-state.tsx'

export function CarPage() {
  return <LoadingState />
}
