// The texts of the recordings in other languages, in our own plain English, as references for translations. The English
// recordings with the same numbers are different sentences.

export const referenceTranslations: Readonly<Record<string, string>> = {
  "fleurs-de-000":
    "For the best views of Hong Kong, you should leave the island and go to the opposite shore of Kowloon.",
  "fleurs-de-001":
    "It also attacked everything that came into the water; even a large dinosaur such as the T. rex was no match for it.",
  "fleurs-de-002":
    "If you have seen the film National Treasure, you may think that a treasure map was drawn on the back of the Declaration of Independence.",
  "fleurs-de-003":
    "There are still many men and women alive who survived their time here, and many more with relatives who were murdered there or worked themselves to death, Jews and non-Jews alike.",
  "fleurs-de-004":
    "The cave is on the top of one of the mountains north of Mecca and is completely isolated from the rest of the world.",
  "fleurs-fr-000":
    "The accident happened in mountainous terrain, and it seems that it was caused by a malicious fire.",
  "fleurs-fr-001":
    "We agree with the statement of the USOC, the United States Olympic Committee, that the interests of our athletes and clubs, and of their sport, could be better served. This can be done by moving forward and making meaningful changes within our organization rather than by revoking accreditation.",
  "fleurs-fr-002":
    "He added that they should not, however, be asked to take on obligations that go beyond their stage of development, their responsibility and their capabilities.",
  "fleurs-fr-003":
    "The tiger's roar is not like the full roar of the lion, but rather like a sentence whose words are cries and growls.",
  "fleurs-fr-004":
    "In the same month another airliner ran off the runway at Mashhad and hit a wall, killing seventeen people.",
  "fleurs-es-000":
    "Travelers are strongly advised to inform themselves about any risk of extreme weather in the area they are visiting, since it may affect their travel plans.",
  "fleurs-es-001":
    "The proper use of blogs can empower students to be more analytical and critical; by actively responding to internet content, students can define their positions in the context of the writings of others and establish their own perspectives on particular topics (Oravec, 2002).",
  "fleurs-es-002":
    "So many people gathered that not everyone could get in to the funeral in Saint Peter’s Square.",
  "fleurs-es-003": "This seems to make sense, since on Earth its movement is not perceived, right?",
  "fleurs-es-004":
    "Carpanedo took part in two individual races of the championship apart from the competition on Wednesday.",
  "fleurs-pt-000":
    "According to reports he was in his twenties. In a statement Bieber said: although I was not present nor directly involved in this tragic incident, my thoughts and prayers are with the family of the victim.",
  "fleurs-pt-001":
    "Built by the Egyptians in the third century BC, the Great Pyramid is one of many large pyramid structures built to honor dead pharaohs.",
  "fleurs-pt-002":
    "Giancarlo Fisichella lost control of the car and ended the race soon after the start.",
  "fleurs-pt-003":
    "Romanticism had a large element of cultural determinism, drawn from writers such as Goethe, Fichte and Schlegel.",
  "fleurs-pt-004":
    "Scaffolding is not a method of learning but rather a help for students who are going through a new learning experience, such as using a new computer or starting a new project.",
};
