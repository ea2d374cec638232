@rem The scripts in package.json begin with `exec`, so that npm's signals reach the server and not its shell.
@rem cmd.exe has no such word: on Windows this file stands for it.
@%*
