# request: the head of an HTTP/1 request as a state machine for Ragel 6: the methods of 2011, any
# version, fields without folding (RFC 9112 3 and 5, RFC 9110 5.6.2). request.lua is made of it:
#
#   ragel -x servers/luajit/request.rl | luajit servers/luajit/convert.lua > servers/luajit/request.lua
#
# Actions have names only: what they do is in parser.lua. "value" may come several times while blanks
# follow that may turn out to be inside of the value; the last one holds.
%%{
  machine request;
  alphtype unsigned char;

  action mark {}    # something begins with this character
  action method {}  # it has ended before this character
  action target {}
  action version {}
  action name {}
  action blank {}   # a value begins, empty so far
  action value {}
  action field {}   # name and value are whole
  action done {}    # so is the head

  eol = "\r"? "\n";
  tchar = alnum | [!#$%&'*+\-.^_`|~];
  visible = 0x21..0x7e;
  text = visible | 0x80..0xff;
  blank = " " | "\t";

  method = "OPTIONS" | "GET" | "HEAD" | "POST" | "PUT" | "DELETE";
  path = "/" visible*;
  absolute = alpha (alnum | [+\-.])* ":" visible+;
  target = "*" | path | absolute;
  version = digit+ "." digit+;
  name = tchar+;
  value = text ((text | blank)* text)?;

  line = method >mark %method " " target >mark %target " HTTP/" version >mark %version eol;
  field = name >mark %name ":" @blank blank* (value >mark %value blank*)? eol @field;

  main := line field* (eol @done);
}%%
