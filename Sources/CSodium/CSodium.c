// SwiftPM asks for one source file per C target; this one also proves that the header compiles alone.
#include "CSodium.h"
