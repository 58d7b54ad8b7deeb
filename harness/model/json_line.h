/* json_line: where in a JSON text a value stands. */
#ifndef MODEL_JSON_LINE_H
#define MODEL_JSON_LINE_H

/* Line (1-based) of the value at path ('a.b[2].c', 'a["x.y"]', "" = the whole) in valid JSON text.
   A path that leads nowhere gives the line of its last part that exists. */
int json_line(const char *text, const char *path);

#endif
