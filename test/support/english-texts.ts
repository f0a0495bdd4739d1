// Texts of our own that are synthesized in measurements.

/** Ten sentences of everyday length. */
export const tenSentences = [
  "The ferry leaves the old harbor every morning, just as the first light touches the roofs of the town.",
  "A baker on the corner has already put out two baskets of warm bread, and the street smells of it.",
  "Most of the passengers carry tools or books, because they work and study on the other side of the bay.",
  "The captain knows nearly all of them by name, and she asks after their children and their gardens.",
  "When the wind comes from the north, the crossing takes a little longer than the timetable promises.",
  "Nobody complains about it, for there is hot tea below deck and always somebody with a story to tell.",
  "Last winter a young seal followed the boat for eleven days, until it found a better place to fish.",
  "The school on the island drew a picture of it, which now hangs above the door of the ticket office.",
  "In summer the visitors arrive with their cameras, and they take photographs of everything they see.",
  "By evening the water is quiet again, and the last boat brings everybody home before it gets dark.",
].join(" ");

/** About 4,000 characters; a request may have up to 4,096. */
export const fourThousandCharacters = Array.from({ length: 4 }, () => tenSentences).join("\n\n");

/** About 120 words for the round trip: synthesized, then transcribed. */
export const roundTripText =
  "My grandmother kept bees behind the house, in seven white boxes under the apple trees. " +
  "Every spring she opened them slowly, so that nobody would be frightened, least of all the bees. " +
  "She taught me to stand still and to listen, because a calm hive has a deep and even sound. " +
  "In a good year we filled sixty jars with honey and gave half of them to our neighbors. " +
  "In a bad year there was only enough for the winter, and we bought sugar from the village shop. " +
  "I still remember the smell of smoke and wax on her old brown coat. " +
  "Today the boxes stand in my own garden, and my daughter helps me carry the frames into the kitchen.";
