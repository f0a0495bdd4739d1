// Extensions of audio and video files that can be transcribed: lower case, without the dot.

export const mediaExtensions: readonly string[] = (
  "3g2 3gp aac ac3 aif aiff amr ape au avi caf flac flv m2ts m4a m4b m4v mka mkv mov mp2 mp3 mp4 mpeg mpg mpga " +
  "mts oga ogg ogv opus ts w64 wav webm wma wmv wv"
).split(" ");
