import { firstText, isObject, partsOf, type ReverseProtocol, UnreadableAnswer } from './protocol.ts'

/** Photon, https://github.com/komoot/photon (reverse): GeoJSON with the nearest thing as the first feature. */
export const photon: ReverseProtocol = {
  parameters: ({ lat, lon }, language) => ({ lat: String(lat), lon: String(lon), lang: language, limit: '1' }),

  readAnswer(body) {
    if (!isObject(body) || !Array.isArray(body.features))
      throw new UnreadableAnswer('one of Photon, which has a list "features"')
    const [feature] = body.features as readonly unknown[]
    if (feature === undefined) return undefined
    if (!isObject(feature) || !isObject(feature.properties))
      throw new UnreadableAnswer('one of Photon, whose features have "properties"')
    const { properties } = feature
    // What was found itself has its name in `name`, not in the field of its kind.
    const own = (type: string) => (properties.type === type ? firstText(properties, ['name']) : undefined)
    return partsOf({
      road: firstText(properties, ['street']) ?? own('street'),
      houseNumber: firstText(properties, ['housenumber']),
      suburb: firstText(properties, ['district']) ?? own('district') ?? firstText(properties, ['locality']),
      locality: firstText(properties, ['city']) ?? own('city'),
      state: firstText(properties, ['state']) ?? own('state'),
      country: firstText(properties, ['country']) ?? own('country'),
      postcode: firstText(properties, ['postcode']),
    })
  },
}
