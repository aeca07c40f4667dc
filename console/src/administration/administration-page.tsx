import { LoadingState } from '../states/loading-state.tsx'

export function AdministrationPage() {
  return <LoadingState />
}
