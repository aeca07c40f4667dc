import { inject } from 'vitest'

/** Whether databases of tests are made in the cluster of CITUS_URL. */
export const isOnCitus = inject('workerUrls').length > 0
