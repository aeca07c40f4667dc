import { LoadingState } from '../states/loading-state.tsx'

export function StatisticsPage() {
  return <LoadingState />
}
